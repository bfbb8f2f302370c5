/** The clock. Passed as a parameter, so that tests can set it. */

/** Milliseconds since the Unix epoch. May jump in either direction, as wall clocks do. */
export type Clock = () => number;

export const systemClock: Clock = Date.now;
