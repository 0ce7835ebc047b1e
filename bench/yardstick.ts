import { round } from './statistics.ts';

const steps = 100_000_000;
const tries = 5;

/** CPU milliseconds of 100,000,000 steps of a generator of numbers, the best of five: how fast one core is at the moment. */
export function fixedWorkMs(): number {
  const times = Array.from({ length: tries }, () => {
    const before = process.cpuUsage();
    generate();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return round(Math.min(...times));
}

/** Each step needs the one before, so no core can run them side by side. */
function generate(): number {
  let state = 1;
  for (let step = 0; step < steps; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
  return state;
}
