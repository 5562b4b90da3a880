// Output that may still grow, read from where the last reading ended.

import { useEffect, useState } from "./html.js";
import { followOutput, onNews } from "./live.js";

/** @typedef {(from: number) => Promise<{ text: string, next: number, more: boolean }>} Read */

/**
 * The text of each stream so far. While it is live, it is read again whenever the server says that there is more.
 * @param {string} place what to follow: joblog/PID or runlog/RUN/STEP @param {boolean} live @param {Read[]} reads one for each stream
 */
export function useOutput(place, live, reads) {
  const [texts, setTexts] = useState(/** @type {string[]} */ (reads.map(() => "")));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [next] = useState(() => reads.map(() => 0));
  useEffect(() => {
    let ended = false;
    let busy = false;
    let dirty = false;
    const readStream = async (/** @type {number} */ stream) => {
      for (let more = true; more && !ended; ) {
        const page = await reads[stream](next[stream]);
        if (ended || page.next <= next[stream]) return;
        next[stream] = page.next;
        if (page.text) setTexts((old) => old.map((text, index) => (index === stream ? text + page.text : text)));
        ({ more } = page);
      }
    };
    const read = async () => {
      if (busy) return void (dirty = true);
      busy = true;
      do {
        dirty = false;
        try {
          await Promise.all(reads.map((_, stream) => readStream(stream)));
          setError(null);
        } catch (problem) {
          setError(problem);
        }
      } while (dirty && !ended);
      busy = false;
    };
    void read();
    const stop = live ? followOutput(place, () => void read()) : () => {};
    // After a break everything is read on from where it was.
    const off = onNews((news) => news.all && void read());
    return () => {
      ended = true;
      stop();
      off();
    };
  }, [place, live]);
  return { texts, error };
}
