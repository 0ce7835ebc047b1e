"""What comes of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import ExecutionError, HoldfastError
from ..progress import Execution
from .files import Files, with_files

if TYPE_CHECKING:
    from .executions import Executions

Output = TypeVar("Output")


@dataclass(frozen=True)
class Run(Generic[Output]):
    """A completed run."""

    output: Output
    execution: Execution


async def result_of(executions: Executions, files: Files, execution: Execution) -> Run[Any]:
    """The output of an execution that has ended, and its record. Raises ExecutionError if it was not completed."""
    if execution.status != "COMPLETED" and (execution.error or execution.status in ("FAILED", "CANCELLED", "EXPIRED")):
        raise ExecutionError(execution)
    try:
        return Run(with_files(files, await _output_of(executions, execution)), execution)
    except HoldfastError as error:
        error.execution = error.execution or execution
        raise


async def _output_of(executions: Executions, execution: Execution) -> dict[str, Any]:
    """Records of older services have no `result`."""
    result: Any = getattr(execution, "result", None)
    if result is not None or execution.status != "COMPLETED" or getattr(execution, "erased_at", None):
        return result or {}
    return (await executions.result(execution.id)).output
