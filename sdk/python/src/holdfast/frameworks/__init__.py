"""Receivers of webhooks for web frameworks. A request that is not authentic gets 401; an exception of yours becomes the
framework's 500, after which Holdfast sends the event again."""
