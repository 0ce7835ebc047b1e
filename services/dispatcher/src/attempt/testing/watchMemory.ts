/** The growth of this process's memory, at its peak. */
export function watchMemory(): { grownMb(): number } {
  const rssMb = () => process.memoryUsage.rss() / 1024 / 1024;
  const beforeMb = rssMb();
  let peakMb = beforeMb;
  const timer = setInterval(() => (peakMb = Math.max(peakMb, rssMb())), 10);
  return {
    grownMb() {
      clearInterval(timer);
      return Math.round(peakMb - beforeMb);
    },
  };
}
