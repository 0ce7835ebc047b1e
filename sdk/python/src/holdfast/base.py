"""The base of all models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar, cast

import httpx
from pydantic import BaseModel, ConfigDict, PrivateAttr, TypeAdapter, ValidationError, ValidationInfo, model_validator

M = TypeVar("M", bound="ApiObject")

_LENIENT = {"lenient": True}


class ApiObject(BaseModel):
    # A later version of the service may send more fields.
    model_config = ConfigDict(extra="allow", populate_by_name=True, protected_namespaces=())

    _http_response: httpx.Response | None = PrivateAttr(default=None)

    def __eq__(self, other: object) -> bool:
        # Without the response, or no two reads of a record would be equal.
        return isinstance(other, ApiObject) and type(self) is type(other) and dict(self) == dict(other)

    @property
    def http_response(self) -> httpx.Response | None:
        """The response that this was read from, with its headers; None for a part of another model."""
        return self._http_response

    @classmethod
    def read(cls: type[M], data: Mapping[str, Any]) -> M:
        """Never fails, see `parse`."""
        return parse(cls, data)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_what_does_not_fit(cls, data: Any, handler: Callable[[Any], Any], info: ValidationInfo) -> Any:
        try:
            return handler(data)
        except ValidationError:
            if info.context is not _LENIENT or not isinstance(data, Mapping):
                raise
            return _construct(cls, cast("Mapping[str, Any]", data))


def parse(model: type[M], data: Mapping[str, Any], response: httpx.Response | None = None) -> M:
    """Never fails: what does not fit, as another version of the service may send it, is kept as it came; what is missing
    is None."""
    try:
        parsed = model.model_validate(data)
    except ValidationError:
        parsed = model.model_validate(data, context=_LENIENT)
    parsed._http_response = response  # pyright: ignore[reportPrivateUsage]
    return parsed


def _construct(model: type[M], data: Mapping[str, Any]) -> M:
    values = dict(data)
    for name, field in model.model_fields.items():
        key = field.alias or name
        if key in values:
            values[name] = _value_of(model, name, values.pop(key))
        else:
            values[name] = None if field.is_required() else field.get_default(call_default_factory=True)
    return model.model_construct(None, **values)


def _value_of(model: type[ApiObject], name: str, value: Any) -> Any:
    try:
        return _adapter(model, name).validate_python(value, context=_LENIENT)
    except ValidationError:
        return value


@lru_cache
def _adapter(model: type[ApiObject], name: str) -> TypeAdapter[Any]:
    annotation: Any = model.model_fields[name].annotation
    return TypeAdapter(annotation)
