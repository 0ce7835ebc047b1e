# Generated from _async/resources.py by tools/generate.py.
"""Models, balance, usage, API keys, portal sessions and webhooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from .. import models
from ..base import ApiObject
from ..webhooks import WebhookEvent, parse_event, sign, unwrap
from .http import Http
from .pages import List


class Models:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self) -> List[models.Model]:
        """The models that the key may use, ordered by slug."""
        return List(self._http, models.Model.read, "/v1/models")

    def get(self, slug: str) -> models.Model:
        return self._http.read(models.Model, "GET", f"/v1/models/{quote(slug, safe='')}", expects=("slug",))


class Balance:
    def __init__(self, http: Http) -> None:
        self._http = http

    def get(self) -> models.Balance:
        """What is available, held and in total. Amounts are decimal texts: read them with `decimal.Decimal`."""
        return self._http.read(models.Balance, "GET", "/v1/balance", expects=("available",))

    def transactions(
        self,
        *,
        kind: str | None = None,
        execution_id: str | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int | None = None,
    ) -> List[models.Transaction]:
        """What changed the balance, newest first."""
        query = {
            "kind": kind,
            "execution_id": execution_id,
            "created_after": created_after,
            "created_before": created_before,
            "limit": limit,
        }
        return List(self._http, models.Transaction.read, "/v1/balance/transactions", query)


class ApiKeys:
    """Keys are shown once, so creating and rotating one is never repeated after it may have been done."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def list(self) -> List[models.ApiKey]:
        return List(self._http, models.ApiKey.read, "/v1/api-keys")

    def create(self, name: str, **fields: Any) -> models.CreatedApiKey:
        """`fields`: as `ApiKeyRequest` describes them, such as `scopes` and `models`."""
        return self._http.read(
            models.CreatedApiKey, "POST", "/v1/api-keys", body={"name": name, **fields}, expects=("id", "key")
        )

    def rotate(self, key_id: str) -> models.RotatedApiKey:
        """Replaces the value of a key. The previous value works for another hour."""
        return self._http.read(
            models.RotatedApiKey, "POST", f"/v1/api-keys/{quote(key_id, safe='')}/rotate", expects=("new_key",)
        )

    def revoke(self, key_id: str) -> models.RevokedApiKey:
        """Revokes a key. If it is the one in use and the response is lost, the next try raises AuthenticationError: the key
        no longer works."""
        return self._http.read(
            models.RevokedApiKey, "DELETE", f"/v1/api-keys/{quote(key_id, safe='')}", expects=("revoked",)
        )


class PortalSessions:
    """Links are shown once, so creating a session is never repeated after it may have been done."""

    def __init__(self, http: Http) -> None:
        self._http = http

    def create(self, capabilities: Sequence[str], **fields: Any) -> models.PortalSession:
        """A link that opens the portal of your organization once, within 10 minutes; `fields`: as `PortalSessionRequest`
        describes them. Never log it."""
        body = {"capabilities": [*capabilities], **fields}
        return self._http.read(models.PortalSession, "POST", "/v1/portal-sessions", body=body, expects=("url",))

    def revoke(self, session_id: str) -> models.RevokedPortalSession:
        """Ends a session, or makes its link invalid."""
        path = f"/v1/portal-sessions/{quote(session_id, safe='')}"
        return self._http.read(models.RevokedPortalSession, "DELETE", path, expects=("revoked",))


def _endpoint(endpoint_id: str) -> str:
    return f"/v1/webhooks/endpoints/{quote(endpoint_id, safe='')}"


class WebhookEndpoints:
    def __init__(self, http: Http) -> None:
        self._http = http

    def create(
        self, url: str, *, events: Sequence[str] | None = None, **fields: Any
    ) -> models.CreatedWebhookEndpoint:
        """Registers an endpoint; `fields`: as `WebhookEndpointRequest` describes them. Its secret is shown once, so the
        request is not repeated after it may have been done."""
        body = {"url": url, **({} if events is None else {"events": list(events)}), **fields}
        return self._http.read(
            models.CreatedWebhookEndpoint, "POST", "/v1/webhooks/endpoints", body=body, expects=("id", "secret")
        )

    def list(self) -> List[models.WebhookEndpoint]:
        return List(self._http, models.WebhookEndpoint.read, "/v1/webhooks/endpoints", field="endpoints")

    def get(self, endpoint_id: str) -> models.WebhookEndpoint:
        return self._http.read(models.WebhookEndpoint, "GET", _endpoint(endpoint_id), expects=("id", "url"))

    def activity(self, endpoint_id: str) -> models.WebhookEndpointActivity:
        """Attempts and their duration by hour, for the last 24 hours."""
        path = f"{_endpoint(endpoint_id)}/activity"
        return self._http.read(models.WebhookEndpointActivity, "GET", path, expects=("hours",))

    def backlog(self, endpoint_id: str) -> models.WebhookEndpointBacklog:
        """What waits for the endpoint, since when it is off, and what its receiver responded last."""
        path = f"{_endpoint(endpoint_id)}/backlog"
        return self._http.read(models.WebhookEndpointBacklog, "GET", path, expects=("waiting",))

    def update(self, endpoint_id: str, **changes: Any) -> models.WebhookEndpoint:
        """`changes`: as `WebhookEndpointChanges` describes them."""
        return self._http.read(
            models.WebhookEndpoint, "PATCH", _endpoint(endpoint_id), body=changes, expects=("id", "url")
        )

    def delete(self, endpoint_id: str) -> models.DeletedWebhookEndpoint:
        gone_body = {"id": endpoint_id, "deleted": True}
        return self._http.read(
            models.DeletedWebhookEndpoint, "DELETE", _endpoint(endpoint_id), gone_body=gone_body, expects=("deleted",)
        )

    def rotate_secret(
        self, endpoint_id: str, *, keep_primary: str | None = None, expire_previous: str | None = None
    ) -> models.RotatedWebhookSecret:
        """`keep_primary="old"`: `X-Signature` uses the previous secret for the 24 hours in which both are valid.
        `expire_previous="now"`: the previous secret is invalid at once."""
        query = {"keep_primary": keep_primary, "expire_previous": expire_previous}
        path = f"{_endpoint(endpoint_id)}/rotate-secret"
        return self._http.read(models.RotatedWebhookSecret, "POST", path, query=query, expects=("secret",))

    def test(self, endpoint_id: str, *, type: str | None = None) -> models.TestCallResult:
        """Sends a test event and returns the response of the endpoint. `type`: an example of this type, with `test: true`;
        by default it is `webhook.test`."""
        body = {} if type is None else {"type": type}
        path = f"{_endpoint(endpoint_id)}/test"
        return self._http.read(models.TestCallResult, "POST", path, body=body, expects=("success",))

    def deliveries(
        self,
        endpoint_id: str,
        *,
        status: str | None = None,
        event_type: str | None = None,
        attempted: bool | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int | None = None,
    ) -> List[models.Delivery]:
        query = {
            "status": status,
            "event_type": event_type,
            "attempted": attempted,
            "created_after": created_after,
            "created_before": created_before,
            "limit": limit,
        }
        return List(self._http, models.Delivery.read, f"{_endpoint(endpoint_id)}/deliveries", query, field="deliveries")

    def recover(self, endpoint_id: str, since: str) -> models.Recovered:
        """Sends failed deliveries and missed events since a time once more. Repeat it while `has_more` is true."""
        path = f"{_endpoint(endpoint_id)}/recover"
        return self._http.read(
            models.Recovered, "POST", path, body={"since": since}, is_repeatable=True, expects=("redelivered",)
        )


class WebhookDeliveries:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        execution_id: str,
        *,
        status: str | None = None,
        event_type: str | None = None,
        attempted: bool | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        limit: int | None = None,
    ) -> List[models.Delivery]:
        """The deliveries of one execution."""
        query = {
            "execution_id": execution_id,
            "status": status,
            "event_type": event_type,
            "attempted": attempted,
            "created_after": created_after,
            "created_before": created_before,
            "limit": limit,
        }
        return List(self._http, models.Delivery.read, "/v1/webhooks/deliveries", query, field="deliveries")

    def get(self, delivery_id: str) -> models.Delivery:
        return self._http.read(
            models.Delivery,
            "GET",
            f"/v1/webhooks/deliveries/{quote(delivery_id, safe='')}",
            expects=("id", "event_type"),
        )

    def redeliver(self, delivery_id: str) -> models.Delivery:
        path = f"/v1/webhooks/deliveries/{quote(delivery_id, safe='')}/redeliver"
        return self._http.read(models.Delivery, "POST", path, expects=("id", "event_type"))


class WebhookEvents:
    def __init__(self, http: Http) -> None:
        self._http = http

    def list(
        self,
        *,
        type: str | None = None,
        execution_id: str | None = None,
        endpoint_id: str | None = None,
        undelivered: bool | None = None,
        created_after: str | None = None,
        created_before: str | None = None,
        order: str | None = None,
        limit: int | None = None,
    ) -> List[WebhookEvent]:
        """Events as webhooks deliver them, newest first unless `order` is `asc`."""
        query = {
            "type": type,
            "execution_id": execution_id,
            "endpoint_id": endpoint_id,
            "undelivered": undelivered,
            "created_after": created_after,
            "created_before": created_before,
            "order": order,
            "limit": limit,
        }
        return List(self._http, parse_event, "/v1/events", query)

    def get(self, event_id: str) -> WebhookEvent:
        found = self._http.read(ApiObject, "GET", f"/v1/events/{quote(event_id, safe='')}", expects=("type",))
        return parse_event(found.model_dump())


class Webhooks:
    unwrap = staticmethod(unwrap)
    sign = staticmethod(sign)

    def __init__(self, http: Http) -> None:
        self._http = http
        self.endpoints = WebhookEndpoints(http)
        self.deliveries = WebhookDeliveries(http)
        self.events = WebhookEvents(http)

    def secret(self) -> models.WebhookSecret:
        """The secret that signs deliveries to the `webhook_url` of an execution."""
        return self._http.read(models.WebhookSecret, "GET", "/v1/webhooks/secret", expects=("secret",))

    def rotate_secret(
        self, *, keep_primary: str | None = None, expire_previous: str | None = None
    ) -> models.WebhookSecret:
        query = {"keep_primary": keep_primary, "expire_previous": expire_previous}
        return self._http.read(
            models.WebhookSecret, "POST", "/v1/webhooks/secret/rotate", query=query, expects=("secret",)
        )
