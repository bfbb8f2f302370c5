/** How much of its time a loop gets that does nothing: what the machine itself takes, of a server's time too. */
export interface IdleGaps {
  /** Of the time, 0 to 1, what passed in gaps of 50 µs or more between two readings of the clock. */
  readonly share: number;
  readonly longestMs: number;
}

const GAP_MS_MIN = 0.05;

/** Takes a core for so many seconds. */
export function idleGaps(seconds: number): IdleGaps {
  const started = performance.now();
  let lostMs = 0;
  let longestMs = 0;
  for (let last = started, now = started; now < started + seconds * 1e3; last = now) {
    now = performance.now();
    const gapMs = now - last;
    if (gapMs < GAP_MS_MIN) continue;
    lostMs += gapMs;
    longestMs = Math.max(longestMs, gapMs);
  }
  return { share: lostMs / (seconds * 1e3), longestMs };
}
