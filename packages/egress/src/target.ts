import type { EgressPolicy, UrlProblem } from './policy.ts';

/** What a URL comes to under a policy: where to dial and what to ask for there. */
export type Target = { origin: string; path: string };

const maxTargets = 2048;
const targetsByPolicy = new WeakMap<EgressPolicy, Map<string, Target>>();

/** The policy's word on a URL, and its parts. Both follow from the text alone, so recent ones are kept. */
export function targetOf(policy: EgressPolicy, url: string): Target | UrlProblem {
  const targets = targetsOf(policy);
  const known = targets.get(url);
  if (known) return known;
  const problem = policy.checkUrl(url);
  if (problem) return problem;
  const { origin, pathname, search } = new URL(url);
  const target = { origin, path: pathname + search };
  const [oldest] = targets.keys();
  if (targets.size >= maxTargets && oldest !== undefined) targets.delete(oldest);
  targets.set(url, target);
  return target;
}

function targetsOf(policy: EgressPolicy): Map<string, Target> {
  const existing = targetsByPolicy.get(policy);
  if (existing) return existing;
  const targets = new Map<string, Target>();
  targetsByPolicy.set(policy, targets);
  return targets;
}
