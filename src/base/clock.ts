/** The clock, passed to whoever needs the time, so that tests can move it. */

/** Milliseconds since the Unix epoch. May jump in either direction, as wall clocks do. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;
