"""A stand-in for the API of Claude's models, so that the real Claude Code works without an account.

Usage: model.py PORT_FILE CALLS LOG: it writes the port that it listens on into PORT_FILE, plays CALLS (a
JSON list of a tool of Windlass and its arguments) one after another, and then ends the turn. LOG gets
each result that the client sent back, one line of JSON each.
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port_file, calls, log_file = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
PREFIX = "mcp__windlass__"


def results_in(request):
    """The results of tools that the conversation holds so far."""
    blocks = []
    for message in request["messages"]:
        if message["role"] == "user" and isinstance(message["content"], list):
            blocks += [block for block in message["content"] if block.get("type") == "tool_result"]
    return blocks


def next_block(request):
    names = [tool["name"] for tool in request.get("tools", [])]
    results = results_in(request)
    if any(name.startswith(PREFIX) for name in names) and len(results) < len(calls):
        name, arguments = calls[len(results)]
        return {"type": "tool_use", "id": f"toolu_{len(results)}", "name": PREFIX + name, "input": arguments}
    return {"type": "text", "text": "All done."}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body):
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def do_HEAD(self):
        self.answer({})

    def do_GET(self):
        self.answer({})

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        if "/v1/messages" not in self.path or "count_tokens" in self.path:
            return self.answer({"input_tokens": 1})
        with open(log_file, "w") as log:
            for result in results_in(request):
                log.write(json.dumps(result["content"]) + "\n")
        block = next_block(request)
        uses_tool = block["type"] == "tool_use"
        stop = "tool_use" if uses_tool else "end_turn"
        message = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": request["model"],
            "content": [block], "stop_reason": stop, "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
        if not request.get("stream"):
            return self.answer(message)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        self.event("message_start", message={**message, "content": [], "stop_reason": None})
        empty = {"input": {}} if uses_tool else {"text": ""}
        self.event("content_block_start", index=0, content_block={**block, **empty})
        if uses_tool:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        else:
            delta = {"type": "text_delta", "text": block["text"]}
        self.event("content_block_delta", index=0, delta=delta)
        self.event("content_block_stop", index=0)
        end = {"stop_reason": stop, "stop_sequence": None}
        self.event("message_delta", delta=end, usage={"output_tokens": 5})
        self.event("message_stop")

    def event(self, kind, **data):
        text = json.dumps({"type": kind, **data})
        self.wfile.write(f"event: {kind}\ndata: {text}\n\n".encode())


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(port_file + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(port_file + ".new", port_file)
server.serve_forever()
