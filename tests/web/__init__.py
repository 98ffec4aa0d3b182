"""Tests of the gate, the socket, the JSON API, the server and the commands."""
