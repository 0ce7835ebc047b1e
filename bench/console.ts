/** Prints progress to standard error, each line with the seconds since it began. */
export function startConsole(): (line: string) => void {
  const startMs = performance.now();
  return (line) => {
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1).padStart(6);
    process.stderr.write(`${seconds} s  ${line}\n`);
  };
}
