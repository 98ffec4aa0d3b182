"""Delivery over HTTP and WebSocket: pages, the live round, the JSON API.
Holds no rules of a round."""
