"""The same load on a running llama-server: usage server.py URL REQUESTS CONCURRENT PROMPT ANSWER"""

import http.client
import json
import random
import sys
import threading
import time
import urllib.parse
from queue import Empty, Queue


def main() -> None:
    url = urllib.parse.urlparse(sys.argv[1])
    requests, concurrent, prompt, answer = map(int, sys.argv[2:6])
    todo: Queue[list[int]] = Queue()
    source = random.Random(0)
    for _ in range(requests):
        todo.put([source.randrange(100, 40000) for _ in range(prompt)])
    done: list[int] = []

    def work() -> None:
        while True:
            try:
                tokens = todo.get_nowait()
            except Empty:
                return
            connection = http.client.HTTPConnection(url.hostname or "", url.port, timeout=300)
            body = {"prompt": tokens, "n_predict": answer, "ignore_eos": True, "temperature": 0, "cache_prompt": False}
            connection.request("POST", "/completion", json.dumps(body), {"Content-Type": "application/json"})
            found = json.loads(connection.getresponse().read())
            done.append(found["tokens_evaluated"] + found["tokens_predicted"])

    begun = time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(concurrent)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.perf_counter() - begun
    print(
        json.dumps(
            {
                "kind": "llama-server",
                "requests": len(done),
                "seconds": round(seconds, 2),
                "total_tps": round(sum(done) / seconds),
            }
        )
    )


if __name__ == "__main__":
    main()
