/** What a test of bounded work judges by: time of the processor, which a machine that is busy with other things does not add to. */

/** @returns How much of it this process takes for the action, in milliseconds. */
export function cpuMs(action: () => void): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
