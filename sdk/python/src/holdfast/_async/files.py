"""Uploads and downloads."""

from __future__ import annotations

import copy
import os
import time
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from .. import models
from ..errors import APIConnectionError
from ..progress import OnProgress, UploadEvent
from ..sources import FileData, OpenFile, find_files, open_file, replace_files
from . import runtime
from .http import Http, chunks_until

_MAX_UPLOADS = 4
# Each MiB of a file adds a second to the timeout of its upload.
_BYTES_PER_TIMEOUT_SECOND = 1_048_576
_SILENCE = 60.0

T = TypeVar("T")


def _path_of(file_id: str) -> str:
    return f"/v1/files/{quote(file_id, safe='')}"


class Files:
    def __init__(self, http: Http) -> None:
        self._http = http

    async def upload(
        self,
        data: FileData,
        *,
        filename: str | None = None,
        content_type: str | None = None,
        ttl_days: int | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> models.File:
        """Uploads a file and checks it. Its `file_id` can be used in any number of inputs. `ttl_days`: it is deleted
        after so many days; without it, it is kept. `on_progress` gets the bytes sent, and all of them."""
        file_id = await self.send(
            data, filename=filename, content_type=content_type, ttl_days=ttl_days, on_progress=on_progress
        )
        return await self.confirm(file_id)

    async def send(
        self,
        data: object,
        *,
        filename: str | None = None,
        content_type: str | None = None,
        ttl_days: int | None = None,
        on_progress: Callable[[int, int], object] | None = None,
    ) -> str:
        """Uploads a file without checking it, which its first use does. Returns its id."""
        file = await runtime.in_thread(lambda: open_file(data), may_be_abandoned=True)
        try:
            file.filename = filename or file.filename
            file.content_type = content_type or file.content_type
            return await self._send(file, ttl_days, on_progress or (lambda sent, total: None))
        finally:
            file.close()

    async def _send(self, file: OpenFile, ttl_days: int | None, on_progress: Callable[[int, int], object]) -> str:
        declared = {"filename": file.filename, "content_type": file.content_type, "ttl_days": ttl_days}
        # What is not declared follows from the bytes. A repetition leaves an upload behind that is never used, and expires.
        body = {"purpose": "INPUT", "size_bytes": file.size}
        body |= {name: value for name, value in declared.items() if value is not None}
        upload = await self._http.read(
            models.Upload, "POST", "/v1/files/upload", body=body, is_repeatable=True, expects=("upload_url", "file_id")
        )
        timeout = self._http.settings.timeout + file.size / _BYTES_PER_TIMEOUT_SECOND

        async def put() -> None:
            file.content.seek(0)
            content = runtime.chunks_of(
                file.content, lambda sent: runtime.notify(on_progress, sent, file.size)
            )
            await self._http.upload(
                upload.upload_url, content, size=file.size, content_type=file.content_type, timeout=timeout
            )

        await runtime.notify(on_progress, 0, file.size)
        await self._http.repeat(put, is_repeatable=True)
        return upload.file_id

    async def upload_input(self, input: dict[str, Any], on_progress: OnProgress | None = None) -> dict[str, Any]:
        """A copy of an input with the id of an upload in place of everything file-like."""
        # A copy, for the caller may change the objects while files are uploaded.
        places: dict[int, list[str]] = {}
        data: dict[int, object] = {}
        for place, found in find_files(input):
            places.setdefault(id(found), []).append(place)
            data[id(found)] = found
        snapshot = replace_files(input, data)
        ids: dict[int, str] = {}

        async def send(key: int) -> None:
            async def report(sent: int, total: int) -> None:
                for place in places[key]:
                    if on_progress:
                        await runtime.notify(on_progress, UploadEvent(place, sent, total))

            ids[key] = await self.send(data[key], on_progress=report)

        await runtime.for_each(list(data), send, _MAX_UPLOADS)
        return replace_files(snapshot, ids)

    async def confirm(self, file_id: str) -> models.File:
        """Checks an upload at once."""
        body = {"file_id": file_id}
        return await self._http.read(
            models.File, "POST", "/v1/files/confirm", body=body, is_repeatable=True, expects=("file_id",)
        )

    async def get(self, file_id: str) -> models.File:
        """The record of a file."""
        return await self._http.read(models.File, "GET", _path_of(file_id), expects=("file_id",))

    async def url(self, file_id: str) -> models.DownloadUrl:
        """A URL that needs no key and works for an hour."""
        return await self._http.read(models.DownloadUrl, "GET", f"{_path_of(file_id)}/url", expects=("url",))

    async def delete(self, file_id: str) -> models.DeletedFile:
        """From now on the file cannot be read or used in an input."""
        gone_body = {"file_id": file_id, "deleted": True}
        return await self._http.read(
            models.DeletedFile, "DELETE", _path_of(file_id), gone_body=gone_body, expects=("deleted",)
        )

    async def bytes(self, file_id: str) -> bytes:
        async def read(chunks: AsyncIterator[bytes]) -> bytes:
            return b"".join([chunk async for chunk in chunks])

        return await self._download(file_id, read)

    async def save(self, file_id: str, path: str | os.PathLike[str]) -> None:
        """Writes a file to a path of this machine. An existing file is replaced once all bytes have arrived."""
        partial = f"{os.fspath(path)}.{uuid.uuid4()}.part"

        async def read(chunks: AsyncIterator[bytes]) -> None:
            with open(partial, "wb") as target:
                async for chunk in chunks:
                    await runtime.in_thread(lambda chunk=chunk: target.write(chunk))
                target.flush()
                await runtime.in_thread(lambda: os.fsync(target.fileno()))

        try:
            await self._download(file_id, read)
            os.replace(partial, path)
        finally:
            if os.path.exists(partial):
                os.unlink(partial)

    async def _download(self, file_id: str, read: Callable[[AsyncIterator[bytes]], Any]) -> Any:
        async def attempt() -> Any:
            path = f"{_path_of(file_id)}/download"
            limit = self._http.settings.timeout
            try:
                async with self._http.open(path, headers={"accept": "*/*"}, silence=_SILENCE) as response:
                    size = int(response.headers.get("content-length") or 0)
                    limit += size / _BYTES_PER_TIMEOUT_SECOND
                    return await read(chunks_until(response, time.monotonic() + limit))
            except TimeoutError as error:
                message = f"The download took longer than {limit:g} s."
                raise APIConnectionError(message, code="REQUEST_TIMED_OUT") from error
            except (httpx.TransportError, httpx.DecodingError) as error:
                raise APIConnectionError("The download was cut.", code="CONNECTION_FAILED") from error

        return await self._http.repeat(attempt, is_repeatable=True)


class OutputFile(dict[str, Any]):
    """A file in an output: a dictionary of the fields that the model gave it, such as `format`, `width` and `height`."""

    def __init__(self, files: Files, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self._files = files

    def __copy__(self) -> OutputFile:
        return OutputFile(self._files, self)

    def __deepcopy__(self, memo: dict[int, Any]) -> OutputFile:
        return OutputFile(self._files, copy.deepcopy(dict(self), memo))

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled as a dictionary: the client has connections, and the API key.
        return dict, (dict(self),)

    @property
    def file_id(self) -> str:
        return self["file_id"]

    async def url(self) -> str:
        """A URL that needs no key and works for an hour."""
        return (await self._files.url(self.file_id)).url

    async def bytes(self) -> bytes:
        return await self._files.bytes(self.file_id)

    async def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the file to a path of this machine. An existing file is replaced once all bytes have arrived."""
        await self._files.save(self.file_id, path)


def with_files(files: Files, value: Any) -> Any:
    """A copy of an output whose files are `OutputFile`s."""
    if isinstance(value, list):
        return [with_files(files, item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(value, dict):
        return value
    fields: dict[str, Any] = {name: with_files(files, item) for name, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
    return OutputFile(files, fields) if isinstance(fields.get("file_id"), str) else fields
