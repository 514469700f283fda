"""Anybody's Gymnasium environment, stepped from Python."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.wrappers import (
    FlattenObservation,
    OrderEnforcing,
    PassiveEnvChecker,
    RescaleAction,
    TimeLimit,
)

from depo.core.errors import DepoError, unknown
from depo.core.imports import import_module
from depo.environments.box_actions import in_unit_box
from depo.environments.discrete_actions import (
    CHOICES,
    MOST_COMBINATIONS,
    FromOneHot,
    OneHotActions,
)
from depo.environments.dynamics import with_dynamics
from depo.environments.making import named_maker
from depo.environments.mujoco import hear_warnings
from depo.environments.names import is_given, missing
from depo.environments.observing import goal_features, observed
from depo.environments.variation import Varied
from depo.models.action_space import ActionSpace

if TYPE_CHECKING:
    from depo.environments.jax_environment import JaxEnvironment

TIME_LIMIT = 1_000
"""Steps after which an episode is cut where the environment itself sets no limit."""
LONGEST = 1_000_000
"""Steps after which an episode that should have been cut will never end."""

SUCCESS = ("success", "is_success")
"""Where the information of a step says whether the episode has reached what it is for."""


class Sizes(NamedTuple):
    """Finite spaces: how many states and actions."""

    states: int
    actions: int


class VectorSizes(NamedTuple):
    """Lengths of state and action vectors."""

    states: int
    actions: int
    choices: tuple[int, ...] = ()
    """Among how many each choice is, where actions are choices as one-hot vectors."""

    @property
    def action_space(self) -> ActionSpace:
        """What actions are, as vectors."""
        return ActionSpace(self.actions, self.choices)


@dataclass(frozen=True)
class GymnasiumEnvironment:
    """A Gymnasium id (``module:Id-v0`` imports a module first) and its constructor's arguments.

    Box actions are presented as [−1,1]ⁿ, on vector states choices as one-hot vectors
    (:mod:`depo.environments.discrete_actions`). ``observe`` says what of an observation is a state
    (:mod:`depo.environments.observing`). ``ignore_termination`` plays on to the time limit;
    ``remember`` appends the state before to every vector state; ``dynamics`` changes what actions
    do (:mod:`depo.environments.dynamics`), ``vary`` redraws the simulation's parameters at every
    reset (:mod:`depo.environments.variation`).
    """

    id: str
    arguments: dict[str, Any] = field(default_factory=dict)
    ignore_termination: bool = False
    remember: bool = False
    dynamics: str = ""
    vary: str = ""
    observe: str = ""

    def make(self) -> gym.Env:
        """One copy; bounded vector actions are rescaled, vector observations flat."""
        env = self._make_observed()
        if isinstance(env.observation_space, Discrete):
            if self.dynamics:
                raise DepoError(
                    f"dynamics '{self.dynamics}' change vector actions, environment '{self.id}' "
                    "has finite states: leave --dynamics out"
                )
            return env
        actions = env.action_space
        if isinstance(actions, Box) and actions.is_bounded() and _is_real(actions):
            one = np.ones(actions.shape, actions.dtype)
            env = RescaleAction(env, -one, one)
            if len(actions.shape) != 1:
                env = FlatActions(env)
        if self.vary:
            env = Varied(env, self.vary)
        env = with_dynamics(env, self.dynamics)
        if isinstance(env.action_space, CHOICES):
            env = FromOneHot(env)
        if isinstance(env.observation_space, Box) and len(env.observation_space.shape) != 1:
            env = FlattenObservation(env)
        if self.ignore_termination:
            env = WithoutTermination(env)
        if self.remember:
            env = WithPreviousState(env)
        limited = env.spec is not None and env.spec.max_episode_steps is not None
        return env if limited else TimeLimit(env, TIME_LIMIT)

    def plain(self) -> GymnasiumEnvironment:
        """The environment as it is, without memory and with its own ends."""
        return replace(self, ignore_termination=False, remember=False, vary="")

    @property
    def is_wrapped(self) -> bool:
        """Whether Python changes what a copy does: its ends, what it shows, what actions do."""
        changed = self.dynamics or self.vary or self.observe
        return self.ignore_termination or self.remember or bool(changed)

    def is_finite(self) -> bool:
        """Whether states are finitely many rather than vectors; asks the environment once."""
        env = self.make()
        try:
            return isinstance(env.observation_space, Discrete)
        finally:
            env.close()

    def finite_sizes(self) -> Sizes:
        """Number of states and actions; refuses vector spaces."""
        env = self.make()
        try:
            for what, space in [("state", env.observation_space), ("action", env.action_space)]:
                if not isinstance(space, Discrete):
                    raise DepoError(
                        f"environment '{self.id}' has the {what} space {space}: the on-policy "
                        "learner takes finite (Discrete) states and actions only"
                    )
                if space.start != 0:
                    raise DepoError(f"environment '{self.id}': {what}s must be numbered from 0")
            return Sizes(int(env.observation_space.n), int(env.action_space.n))  # type: ignore[attr-defined]
        finally:
            env.close()

    def vector_sizes(self) -> VectorSizes:
        """Lengths of state and action vectors; refuses other spaces."""
        env = self.make()
        try:
            states, actions = env.observation_space, env.action_space
            if not isinstance(states, Box):
                raise DepoError(
                    f"environment '{self.id}' has the state space {states}: the off-policy "
                    "learner takes vector (Box) states only"
                )
            if isinstance(actions, OneHotActions):
                return self._sizes_of_choices(int(states.shape[0]), actions)
            if not isinstance(actions, Box):
                raise DepoError(
                    f"environment '{self.id}' has the action space {actions}: the off-policy "
                    "learner takes a Box, Discrete, MultiDiscrete or MultiBinary; a wrapper of "
                    "gymnasium.ActionWrapper can make one of it"
                )
            if not _is_real(actions):
                raise DepoError(
                    f"environment '{self.id}' has the action space {actions}: its actions are "
                    "whole numbers, the off-policy learner takes real ones (a float Box)"
                )
            if not actions.is_bounded():
                raise DepoError(
                    f"environment '{self.id}' has the action space {actions}: actions must have "
                    "finite bounds (gymnasium's ClipAction or RescaleAction give them some)"
                )
            return VectorSizes(int(states.shape[0]), int(actions.shape[0]))
        finally:
            env.close()

    def _sizes_of_choices(self, states: int, actions: OneHotActions) -> VectorSizes:
        count = ActionSpace.of_choices(actions.choices).combinations
        if count > MOST_COMBINATIONS:
            raise DepoError(
                f"environment '{self.id}' has the action space {actions.own}, {count:,} different "
                f"actions: the off-policy learner sums over all of them and takes at most "
                f"{MOST_COMBINATIONS}; offer fewer in a wrapper, or a Box"
            )
        return VectorSizes(states, len(actions.low), actions.choices)

    def native_actions(self, actions: np.ndarray) -> np.ndarray:
        """Actions of [−1, 1], or one-hot, in the environment's own units (rows, dimensions).

        Under changed dynamics there are no such units of vectors; they stay as they are.
        """
        env = self.make()
        try:
            if isinstance(env.action_space, OneHotActions):
                own = np.asarray(env.action_space.native(actions))
                return own.reshape(len(own), -1) if own.ndim > 1 else own
            inner: gym.Env = env
            while isinstance(inner, gym.Wrapper) and not isinstance(inner, RescaleAction):
                inner = inner.env
            if self.dynamics or not isinstance(inner, RescaleAction):
                return actions
            box = inner.env.action_space
            assert isinstance(box, Box)
            low, high = box.low.ravel(), box.high.ravel()
            return (low + (actions + 1.0) / 2.0 * (high - low)).astype(actions.dtype)
        finally:
            env.close()

    def network_actions(self, actions: np.ndarray) -> np.ndarray:
        """The other way round: recorded actions, one in each row, in [−1, 1] or one-hot; refused
        where they are no actions of this environment."""
        env = self.make()
        try:
            own, rows = env.action_space, actions.reshape(len(actions), -1)
            if isinstance(own, OneHotActions):
                return own.one_hot(rows, self.id)
            assert isinstance(own, Box)
            low, high = self.native_actions(np.stack([own.low, own.high]).astype(np.float64))
        finally:
            env.close()
        return in_unit_box(rows, low, high, self.id)

    def own_spaces(self) -> tuple[gym.Space, gym.Space]:
        """Spaces of observations and actions in the environment's own units: no array is flat, and
        actions are rescaled by no one. Dynamics change what an action means, so it is the space of
        the environment inside them, as ``Inverted(env)`` has it."""
        env = self._make_observed()
        try:
            actions = env.action_space
            vector = isinstance(actions, Box) and len(actions.shape) == 1
            vector = vector or isinstance(actions, CHOICES)
            own = with_dynamics(env, self.dynamics).action_space if vector else actions
            return env.observation_space, own
        finally:
            env.close()

    def feature_names(self) -> tuple[str, ...]:
        """What the numbers of a state are called, if the environment's metadata say."""
        env = self.plain().make()
        try:
            names = tuple(env.metadata.get("feature_names", ()))
            shape = env.observation_space.shape
        finally:
            env.close()
        if names and shape and len(names) != shape[0]:
            raise DepoError(
                f"environment '{self.id}' names {len(names)} features in its metadata, its states "
                f"have {shape[0]}: a name for each, or none"
            )
        return names

    def goal_features(self) -> tuple[int, ...]:
        """The numbers of a state that are the goal of an episode: seen, and never planned."""
        return goal_features(self.feature_names())

    def first_state(self) -> np.ndarray:
        """A state in which an episode begins."""
        env = self.make()
        try:
            return np.asarray(env.reset(seed=0)[0], np.float64)
        finally:
            env.close()

    def vector(self, copies: int) -> VectorStepper:
        """Many copies side by side."""
        return VectorStepper(self, copies)

    def compiled(self) -> JaxEnvironment | None:
        """The pure functions inside, if it is a :class:`~depo.environments.jax_gymnasium.JaxEnv`
        and nothing but a time limit is around it."""
        if self.is_wrapped:
            return None
        env = self._make_raw()
        try:
            found = getattr(env.unwrapped, "jax_environment", None)
            inner, limits = env, []
            while isinstance(inner, OrderEnforcing | PassiveEnvChecker | TimeLimit):
                limits += [inner._max_episode_steps] if isinstance(inner, TimeLimit) else []
                inner = inner.env
            if found is None or inner is not env.unwrapped:
                return None
        finally:
            env.close()
        from depo.environments.gymnax_environment import WithTimeLimit

        return WithTimeLimit(found, min(limits)) if limits else found

    def make_vector(self, copies: int) -> gym.vector.VectorEnv:
        """Copies in one: the environment's own vector form where it fits, one compiled call where
        it is pure functions, else one by one.

        It fits if it has vector states and actions in [−1,1]ⁿ, restarts copies in the step that
        ends them, and nothing is wrapped around a copy.
        """
        spec = gym.registry[self._registered_name()]
        if spec.vector_entry_point is not None and not self.is_wrapped and not self.is_finite():
            own = self._guarded_make(lambda: gym.make_vec(spec.id, copies, **self.arguments))
            actions, mode = own.single_action_space, own.metadata.get("autoreset_mode")
            unit = (
                isinstance(actions, Box) and (actions.high == 1).all() and (actions.low == -1).all()
            ) and isinstance(own.single_observation_space, Box)
            if unit and mode == gym.vector.AutoresetMode.SAME_STEP:
                return own
            own.close()
        if (compiled := self.compiled()) is not None:
            from depo.environments.jax_gymnasium import JaxVectorEnv

            return JaxVectorEnv(compiled, copies)
        return gym.vector.SyncVectorEnv(
            [self.make] * copies, autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
        )

    def _make_observed(self) -> gym.Env:
        """Observations are numbers or one array."""
        return observed(self._make_raw(), self.observe, self.id)

    def _make_raw(self) -> gym.Env:
        name = self._registered_name()
        if "mujoco" in str(gym.registry[name].entry_point):
            hear_warnings()
        env = self._guarded_make(lambda: gym.make(name, **self.arguments))
        for space in ("observation_space", "action_space"):
            if not isinstance(getattr(env, space, None), gym.Space):
                raise DepoError(
                    f"environment '{self.id}' has no {space}: give it one of gymnasium.spaces"
                )
        return env

    def _guarded_make(self, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except gym.error.DependencyNotInstalled as error:
            raise DepoError(
                f"environment '{self.id}' needs a package that is not installed ({error}): "
                "for MuJoCo tasks, pip install 'depo[mujoco]'"
            ) from error
        except Exception as error:
            raise DepoError(f"environment '{self.id}' cannot be made: {error}") from error

    def _registered_name(self) -> str:
        module, _, name = self.id.rpartition(":")
        found = import_module(module, "environment", self.id) if module else None
        if found is not None and name not in gym.registry and (made := named_maker(found, name)):
            return made
        if name not in gym.registry:
            if is_given(name):
                raise missing(name)
            if found is not None:
                raise DepoError(
                    f"module '{module}' registers no environment '{name}' and has no function of "
                    "that name, which would make one"
                )
            from depo.environments.family import families  # which makes such environments

            names = [short for family in families().values() for short in family.names]
            raise unknown("environment", name, {*names, *gym.registry})
        return name


def _is_real(actions: Box) -> bool:
    return np.issubdtype(actions.dtype, np.floating)


def _successes(info: dict[str, Any], ended: np.ndarray) -> np.ndarray:
    """What every copy reports of a step, in the words of Gymnasium-Robotics; an ended copy's own
    information is set apart, beside that of its restart."""
    found = np.full(len(ended), np.nan)
    for rows, own in ((~ended, info), (ended, info.get("final_info", {}))):
        for word in SUCCESS:
            said = rows & np.asarray(own.get(f"_{word}", rows), bool)
            values = np.asarray(own.get(word, ()))
            if values.shape == ended.shape:
                with contextlib.suppress(TypeError, ValueError):  # the word means something else
                    found[said] = values[said].astype(np.float64)  # NumPy's truths are objects
    return found


class FlatActions(gym.ActionWrapper):
    """Actions of several axes given as one vector."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        space = env.action_space
        assert isinstance(space, Box)
        self._shape = space.shape
        self.action_space = Box(space.low.ravel(), space.high.ravel(), dtype=space.dtype.type)

    def action(self, action: np.ndarray) -> np.ndarray:
        """As the environment wants it."""
        return np.reshape(action, self._shape)


class WithoutTermination(gym.Wrapper):
    """Hides termination: the episode goes on to its time limit, fallen or not."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step that never ends the episode."""
        state, reward, _, truncated, info = self.env.step(action)
        return state, reward, False, truncated, info


class WithPreviousState(gym.ObservationWrapper):
    """States with the state before appended; at an episode's start that is the state itself."""

    def __init__(self, env: gym.Env):
        super().__init__(env)
        space = env.observation_space
        assert isinstance(space, Box)
        twice = [np.concatenate([bound, bound]) for bound in (space.low, space.high)]
        self.observation_space = Box(twice[0], twice[1], dtype=space.dtype.type)
        self._before: np.ndarray | None = None

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Forget."""
        self._before = None
        return super().reset(**arguments)

    def observation(self, observation: np.ndarray) -> np.ndarray:
        """(s, s before)."""
        before = observation if self._before is None else self._before
        self._before = observation.copy()
        return np.concatenate([observation, before])


def check_decided(actions: np.ndarray) -> None:
    """Refuse actions that are no numbers, before an environment is blamed for what they do."""
    if not np.isfinite(actions).all():
        raise DepoError(
            "the policy gives actions that are no numbers: training diverged, lower the learning "
            "rates, or its method is at fault; the run folder is whole"
        )


class VectorStepper:
    """Copies of an environment whose steps never cross a reset: s' is the state really reached."""

    def __init__(self, environment: GymnasiumEnvironment, copies: int):
        self.environment = environment
        self._envs = environment.make_vector(copies)
        space = self._envs.single_observation_space
        self._states = int(space.n) if isinstance(space, Discrete) else 0
        self.succeeded = np.full(copies, np.nan)
        """Whether the last step of each copy reported success; NaN: it reported nothing."""

    def reset(self, seeds: Sequence[int]) -> np.ndarray:
        """Start every copy from its own seed."""
        own: Any = list(seeds)
        state = self._guarded(lambda: self._envs.reset(seed=own)[0])
        return self._checked(np.array(state))

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns (state to act from, s' reached, reward, terminated, truncated)."""
        check_decided(actions)
        state, reward, terminated, truncated, info = self._guarded(lambda: self._envs.step(actions))
        state = np.array(state)
        reached = state.copy()
        for i in np.flatnonzero(terminated | truncated):
            reached[i] = info["final_obs"][i]
        self.succeeded = _successes(info, terminated | truncated)
        state, reached = self._checked(state), self._checked(reached)
        if not np.isfinite(reward).all():
            raise DepoError(
                f"environment '{self.environment.id}' returned the reward "
                f"{reward[~np.isfinite(reward)][0]}: the simulation is broken; the run folder is "
                "whole, 'depo resume' goes on from its last checkpoint"
            )
        return state, reached, np.asarray(reward, np.float32), terminated, truncated

    def steps_to_the_end(self, limit: int | None = None) -> Iterator[int]:
        """Numbers of steps, as long as the caller goes on; refuses episodes that never end."""
        yield from range(LONGEST if limit is None else limit)
        if limit is None:
            raise DepoError(
                f"an episode of environment '{self.environment.id}' has not ended after "
                f"{LONGEST:,} steps: register it with a time limit (max_episode_steps)"
            )

    def close(self) -> None:
        """Close all copies."""
        self._envs.close()

    def _checked(self, state: np.ndarray) -> np.ndarray:
        """States of a finite set, or finite numbers as float32."""
        if self._states:
            if ((state < 0) | (state >= self._states)).any():
                raise DepoError(
                    f"environment '{self.environment.id}' returned a state outside its "
                    f"{self._states} states"
                )
            return state
        state = state.astype(np.float32)
        if not np.isfinite(state).all():
            copy, feature = np.argwhere(~np.isfinite(state))[0]
            raise DepoError(
                f"environment '{self.environment.id}' returned the observation "
                f"{state[copy, feature]} in feature {feature}: the simulation is broken; the run "
                "folder is whole, 'depo resume' goes on from its last checkpoint"
            )
        return state

    def _guarded(self, call: Any) -> Any:
        try:
            return call()
        except (DepoError, KeyboardInterrupt):
            raise
        except Exception as error:
            raise DepoError(
                f"environment '{self.environment.id}' raised {type(error).__name__}: {error}; "
                "the run folder is whole, 'depo resume' goes on from its last checkpoint"
            ) from error
