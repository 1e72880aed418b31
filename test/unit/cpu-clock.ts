/** Starts to measure the processor time of this process. The function tells how much it has used since, in microseconds. */
export function startCpuClock(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
}
