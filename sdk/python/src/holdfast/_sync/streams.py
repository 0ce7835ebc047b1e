# Generated from _async/streams.py by tools/generate.py.
"""The output of an execution while it is made."""

from __future__ import annotations

from collections.abc import Generator, Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import HoldfastError
from ..progress import Execution
from ..streams import DoneEvent, OutputEvent, OutputJoiner, StreamEvent, stream_event_of
from . import runtime
from .files import Files
from .following import follow
from .http import Http
from .runs import Output, Run, result_of
from .waiting import MAX_CANCEL, cancel_quietly, path_of

if TYPE_CHECKING:
    from .executions import Executions

T = TypeVar("T")


@dataclass(frozen=True)
class Streamed:
    """The execution of a stream, and what is needed to repeat its run, where the stream has created it."""

    id: str
    execution: Execution | None = None
    idempotency_key: str | None = None
    input: Any = None

    def identify(self, error: HoldfastError) -> None:
        if self.execution is not None:
            error.idempotency_key, error.input = self.idempotency_key, self.input
            error.execution = error.execution or self.execution


class Stream(Generic[Output]):
    """The output of an execution while it is made. Iterating yields the pieces in order, none twice, across connections that
    break; it raises ExecutionError if the execution fails, expires or is cancelled. Each iteration reads from the beginning.

    After a reset the pieces are those of a new output: use `events()` for a model with `stream_restart`. A model without it
    never resets.

    Leaving the loop closes the connection, and leaves the execution running. An synchronous loop that may be left belongs in
    a `with` of the stream, whose end waits until the connection is closed.
    """

    def __init__(
        self,
        http: Http,
        executions: Executions,
        start: Callable[[], Streamed],
        *,
        starting_after: int | None = None,
        cancel_on_disconnect: bool = False,
    ) -> None:
        self._http = http
        self._executions = executions
        self._start = start
        self._streamed: Streamed | None = None
        self._starting_after = starting_after
        self._cancel_on_disconnect = cancel_on_disconnect
        # None outside of a `with`: there, leaving a loop drops its iterator, which closes the connection.
        self._readings: list[Generator[Any, None, None]] | None = None

    @property
    def id(self) -> str:
        """The id of the execution, which is created by the first use of the stream."""
        return (self._started()).id

    def __enter__(self) -> Stream[Output]:
        self._readings = []
        return self

    def __exit__(self, *_: object) -> None:
        readings, self._readings = self._readings or [], None
        for reading in readings:
            reading.close()

    def __iter__(self) -> Generator[Any, None, None]:
        return self._kept(self._deltas())

    def events(self) -> Generator[StreamEvent, None, None]:
        """Everything that the stream shows, to DoneEvent, which also reports a failure: it raises only what keeps it from
        being read."""
        return self._kept(self._events())

    def final(self) -> Run[Output]:
        """Waits for the end, whether or not the stream is read, and returns the output and the record as `run` does. Raises
        ExecutionError and the other errors of `run`."""
        streamed = self._started()
        try:
            execution = self._executions.wait(streamed.id, cancel_on_abort=self._cancel_on_disconnect)
            return result_of(self._executions, Files(self._http), execution)
        except HoldfastError as error:
            streamed.identify(error)
            raise

    def cancel(self) -> Execution:
        """Cancels the execution. Its model decides what the output so far costs: `on_cancel`."""
        return self._executions.cancel((self._started()).id)

    def _started(self) -> Streamed:
        # Two at once create one execution: they have the same key.
        self._streamed = self._streamed or self._start()
        return self._streamed

    def _kept(self, reading: Generator[T, None, None]) -> Generator[T, None, None]:
        if self._readings is not None:
            self._readings.append(reading)
        return reading

    def _deltas(self) -> Generator[Any, None, None]:
        status: str | None = None
        with closing(self._events()) as events:
            for event in events:
                if isinstance(event, OutputEvent):
                    yield event.delta
                if isinstance(event, DoneEvent):
                    status = event.status
        if status != "COMPLETED":
            self.final()

    def _events(self) -> Generator[StreamEvent, None, None]:
        streamed = self._started()
        joiner = OutputJoiner(from_beginning=not self._starting_after)
        sent = follow(
            self._http,
            f"{path_of(streamed.id)}/stream",
            query={"cancel_on_disconnect": self._cancel_on_disconnect or None},
            read=stream_event_of,
            is_last=_is_done,
            last_id=str(self._starting_after) if self._starting_after else None,
        )
        is_at_end = False
        try:
            with closing(sent):
                for one in sent:
                    is_at_end = isinstance(one, DoneEvent)
                    for event in joiner.feed(one):
                        yield event
            is_at_end = True
        except HoldfastError as error:
            streamed.identify(error)
            raise
        except Exception:
            raise
        except BaseException as aborted:
            vars(aborted)["execution"] = streamed.execution
            raise
        finally:
            # A reader between two connections has none whose end the service could see.
            if self._cancel_on_disconnect and not is_at_end:
                runtime.despite_cancellation(MAX_CANCEL, lambda: cancel_quietly(self._http, streamed.id))


def _is_done(event: StreamEvent) -> bool:
    return isinstance(event, DoneEvent)
