"""Anybody's Gymnasium environment, stepped from Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

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
from depo.environments.arguments import check_arguments
from depo.environments.box_actions import can_be_scaled, check_box, in_unit_box
from depo.environments.discrete_actions import (
    CHOICES,
    MOST_COMBINATIONS,
    FromOneHot,
    OneHotActions,
)
from depo.environments.dynamics import with_dynamics
from depo.environments.making import named_maker, not_offered
from depo.environments.misbehaviour import remedy_of, saying_what_is_wrong, told
from depo.environments.mujoco import hear_warnings
from depo.environments.names import is_given, missing
from depo.environments.observing import goal_features, observed
from depo.environments.sizes import Sizes, VectorSizes
from depo.environments.variation import Varied
from depo.environments.vector_stepper import VectorStepper
from depo.environments.wrappers import (
    FlatActions,
    OwnSteps,
    WithoutTermination,
    WithPreviousState,
    with_clipped_bounds,
)
from depo.models.action_space import ActionSpace

if TYPE_CHECKING:
    from depo.environments.jax_environment import JaxEnvironment

TIME_LIMIT = 1_000
"""Steps after which an episode is cut where the environment itself sets no limit."""


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
        env: gym.Env = OwnSteps(with_clipped_bounds(self._make_observed()))
        if isinstance(env.observation_space, Discrete):
            if self.dynamics:
                raise DepoError(
                    f"dynamics '{self.dynamics}' change vector actions, environment '{self.id}' "
                    "has finite states: leave --dynamics out"
                )
            return _limited(env)
        actions = env.action_space
        if isinstance(actions, Box) and can_be_scaled(actions):
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
        return _limited(env)

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
            check_box(actions, self.id)
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
        env = with_clipped_bounds(self._make_observed())
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
            with saying_what_is_wrong(self.id, self.make):
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
        env = self.as_registered()
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
        return observed(self.as_registered(), self.observe, self.id)

    def as_registered(self) -> gym.Env:
        """One copy as Gymnasium makes it, in units of its own."""
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

    def time_limit(self) -> int:
        """The steps after which an episode is cut, as it is registered or asked for."""
        asked = self.arguments.get("max_episode_steps")
        registered = gym.registry[self._registered_name()].max_episode_steps
        known = [n for n in (asked, registered) if isinstance(n, int) and n > 0]
        return known[0] if known else TIME_LIMIT

    def _guarded_make(self, make: Callable[[], Any]) -> Any:
        check_arguments(self.arguments)
        try:
            return make()
        except gym.error.DependencyNotInstalled as error:
            mujoco = "mujoco" in str(error).lower()
            remedy = ": for MuJoCo tasks, pip install 'depo[mujoco]'" if mujoco else ""
            raise DepoError(
                f"environment '{self.id}' needs a package that is not installed ({error}){remedy}"
            ) from error
        except Exception as error:
            said = str(error).partition(" was raised from the env")[0] or told(error)
            raise DepoError(
                f"environment '{self.id}' cannot be made: {said}{remedy_of(error)}"
            ) from error

    def _registered_name(self) -> str:
        module, _, name = self.id.rpartition(":")
        found = import_module(module, "environment", self.id) if module else None
        if found is not None and name not in gym.registry and (made := named_maker(found, name)):
            return made
        if name not in gym.registry:
            if is_given(name):
                raise missing(name)
            if found is not None:
                raise not_offered(found, name)
            from depo.environments.family import families  # which makes such environments

            names = [short for family in families().values() for short in family.names]
            raise unknown("environment", name, {*names, *gym.registry})
        return name


def _limited(env: gym.Env) -> gym.Env:
    """With a time limit where it has none: an agent that is lost goes on for ever."""
    limited = env.spec is not None and env.spec.max_episode_steps is not None
    return env if limited else TimeLimit(env, TIME_LIMIT)
