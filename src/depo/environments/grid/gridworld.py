"""The grid world: an N×N map, 4·k actions, a goal, walls, and a zone where nobody starts.

State (x, y) has number N·x + y. Action a moves in direction a // k: up (y+1), down (y−1),
left (x−1), right (x+1); a move off the map or into a wall leaves the state unchanged.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from depo.core.codec import check_fields
from depo.core.errors import DepoError
from depo.data.demonstrations import Demonstrations

ID = "depo/GridWorld-v0"
MOVES = ((0, 1), (0, -1), (-1, 0), (1, 0))
MAX_SIZE, MAX_HORIZON = 100, 1_000_000
Cell = tuple[int, int]


@dataclass(frozen=True)
class GridWorldSettings:
    """A grid world, general in size, goal, walls, starts and actions."""

    size: int = 6
    """Cells along each side."""
    k: int = 1
    """Actions for each of the four directions: the world has 4·k actions."""
    goal: str = ""
    """The goal cell 'x,y'; empty: the far corner."""
    walls: tuple[str, ...] = ()
    """Blocked cells, each 'x,y' or a rectangle 'x0,y0:x1,y1'."""
    shaded: str = ""
    """Rectangle 'x0,y0:x1,y1' where no episode starts; empty: the upper right quarter; 'none'."""
    horizon: int = 0
    """Steps until an episode is cut; 0: twice the longest way to the goal, at least 20."""
    via: tuple[str, ...] = field(default=())
    """Cells the built-in expert visits in order on its way (a detour); used without --demos."""

    def __post_init__(self) -> None:
        check_fields(self, "grid world")
        if not 2 <= self.size <= MAX_SIZE:
            raise DepoError(f"size {self.size} is not between 2 and {MAX_SIZE}")
        if not 1 <= self.k <= 64:
            raise DepoError(f"k {self.k} is not between 1 and 64")
        if self.horizon < 0:
            raise DepoError(f"horizon {self.horizon} is negative: give 0 for the default")
        if self.horizon > MAX_HORIZON:
            raise DepoError(f"horizon {self.horizon} is more than {MAX_HORIZON:,} steps")


@dataclass(frozen=True, eq=False)
class GridWorld:
    """The map a :class:`GridWorldSettings` describes, as NumPy tables.

    >>> world = GridWorld(GridWorldSettings())
    >>> world.states, world.actions, len(world.starts), world.cell(world.goal)
    (36, 4, 27, (5, 5))
    """

    settings: GridWorldSettings

    def __post_init__(self) -> None:
        s = self.settings
        wall = np.zeros((s.size, s.size), bool)
        for text in s.walls:
            for cell in _rectangle(text, s.size, "wall"):
                wall[cell] = True
        goal = _cell(s.goal, s.size, "goal") if s.goal else (s.size - 1, s.size - 1)
        if wall[goal]:
            raise DepoError(f"the goal {goal[0]},{goal[1]} lies in a wall")
        allowed = ~wall
        allowed[goal] = False
        for cell in self._shaded_cells():
            allowed[cell] = False
        object.__setattr__(self, "wall", wall)
        object.__setattr__(self, "goal", self.number(goal))
        object.__setattr__(self, "successor", self._successors())
        reached = self._distances(goal)
        object.__setattr__(self, "distance_to_goal", reached)
        allowed &= reached.reshape(s.size, s.size) >= 0
        if not allowed.any():
            raise DepoError("no cell is left to start from: the goal is walled in, or all shaded")
        object.__setattr__(self, "starts", np.flatnonzero(allowed.ravel()))

    wall: np.ndarray = field(init=False)
    goal: int = field(init=False)
    successor: np.ndarray = field(init=False)
    distance_to_goal: np.ndarray = field(init=False)
    starts: np.ndarray = field(init=False)

    @property
    def states(self) -> int:
        """Number of cells, walls included."""
        return self.settings.size**2

    @property
    def actions(self) -> int:
        """Number of actions."""
        return 4 * self.settings.k

    @property
    def horizon(self) -> int:
        """Steps until an episode is cut: twice the longest way (or the expert's), at least 20."""
        longest = int(self.distance_to_goal[self.starts].max())
        if self.settings.via:
            longest = max(longest, len(self.expert_path()) - 1)
        return self.settings.horizon or max(20, 2 * longest)

    def number(self, cell: Cell) -> int:
        """The state number of a cell."""
        return self.settings.size * cell[0] + cell[1]

    def cell(self, state: int) -> Cell:
        """The cell of a state number."""
        return divmod(int(state), self.settings.size)

    @property
    def start_distribution(self) -> np.ndarray:
        """Column uniform, then cell uniform within it, as in the authors' environment."""
        start = np.zeros(self.states)
        columns = self.starts // self.settings.size
        for column in np.unique(columns):
            cells = self.starts[columns == column]
            start[cells] = 1.0 / (len(np.unique(columns)) * len(cells))
        return start

    def expert_path(self) -> list[int]:
        """States from (0,0), through ``via``, to the goal: up and right in turn where possible."""
        s = self.settings
        stops = [_cell(text, s.size, "via") for text in s.via] + [self.cell(self.goal)]
        path = [self.number((0, 0))]
        for stop in stops:
            path += self._leg(path[-1], stop)
        if len(set(path)) < len(path):
            raise DepoError("the expert's way crosses itself: choose other 'via' cells")
        return path

    def demonstrations(self, episodes: int = 100) -> Demonstrations:
        """``episodes`` recordings of the built-in expert's path."""
        path = np.array(self.expert_path())
        return Demonstrations(
            observations=np.tile(path, episodes),
            episode_lengths=np.full(episodes, len(path)),
            episode_returns=np.ones(episodes),
            metadata={"environment": ID, "source": "built-in expert", "size": self.settings.size},
        )

    def _shaded_cells(self) -> list[Cell]:
        s = self.settings
        if s.shaded == "none":
            return []
        half = (s.size + 1) // 2
        text = s.shaded or f"{half},{half}:{s.size - 1},{s.size - 1}"
        return _rectangle(text, s.size, "shaded zone")

    def _successors(self) -> np.ndarray:
        size, k = self.settings.size, self.settings.k
        table = np.empty((self.states, 4 * k), np.int32)
        for state in range(self.states):
            x, y = self.cell(state)
            for direction, (dx, dy) in enumerate(MOVES):
                u, v = x + dx, y + dy
                free = 0 <= u < size and 0 <= v < size and not self.wall[u, v]
                target = self.number((u, v)) if free else state
                table[state, direction * k : (direction + 1) * k] = target
        return table

    def _distances(self, goal: Cell) -> np.ndarray:
        """Steps from every cell to ``goal`` (−1: no way), by breadth-first search."""
        size = self.settings.size
        distance = np.full((size, size), -1)
        distance[goal] = 0
        queue = deque([goal])
        while queue:
            x, y = queue.popleft()
            for dx, dy in MOVES:
                u, v = x + dx, y + dy
                inside = 0 <= u < size and 0 <= v < size
                if inside and not self.wall[u, v] and distance[u, v] < 0:
                    distance[u, v] = distance[x, y] + 1
                    queue.append((u, v))
        return distance.ravel()

    def _leg(self, start: int, stop: Cell) -> list[int]:
        """Shortest path, alternating axes where both are open, up first."""
        distance = self._distances(stop)
        if self.wall[stop] or distance[start] < 0:
            raise DepoError(f"the expert cannot walk from {self.cell(start)} to {stop}: walls")
        path, state, last_axis = [], start, 0
        while distance[state] > 0:
            options = [
                (axis == last_axis, order, target, axis)
                for order, (direction, axis) in enumerate([(0, 1), (3, 0), (1, 1), (2, 0)])
                if distance[target := int(self.successor[state, direction * self.settings.k])]
                == distance[state] - 1
            ]
            _, _, state, last_axis = min(options)
            path.append(state)
        return path


def _cell(text: str, size: int, what: str) -> Cell:
    match = re.fullmatch(r"\s*(\d+)\s*,\s*(\d+)\s*", text)
    if not match:
        raise DepoError(f"{what} '{text}' is not a cell: write it as x,y")
    x, y = int(match[1]), int(match[2])
    if max(x, y) >= size:
        raise DepoError(f"{what} {x},{y} lies outside the {size}×{size} map")
    return x, y


def _rectangle(text: str, size: int, what: str) -> list[Cell]:
    first, _, second = text.partition(":")
    if not re.fullmatch(r"[\d\s,:]*", text):
        raise DepoError(
            f"{what} '{text}' is no cell x,y and no rectangle x0,y0:x1,y1 (many of them "
            "can stand in a file: --config)"
        )
    x0, y0 = _cell(first, size, what)
    x1, y1 = _cell(second, size, what) if second else (x0, y0)
    xs, ys = sorted((x0, x1)), sorted((y0, y1))
    return [(x, y) for x in range(xs[0], xs[1] + 1) for y in range(ys[0], ys[1] + 1)]
