import { stringify } from 'yaml';
import { groupsOf, type Rule } from './files.ts';

/** What the chart puts the namespace of the release for. */
const namespaceMark = '@namespace@';

/**
 * The rules of deploy/observability as the chart has them: of the pods of one namespace alone, for on a cluster several
 * installations, and other programs that run on Node, are watched by one Prometheus.
 */
export function chartRules(): string {
  const groups = ['recording.yml', 'alerts.yml'].flatMap(groupsOf);
  const own = groups.map(({ name, rules }) => ({ name, rules: rules.map(ofNamespace) }));
  const from =
    '# Written by scripts/generators/chartRules.mjs from deploy/observability/rules: do not edit.\n';
  return from + stringify({ groups: own }, { lineWidth: 0, version: '1.1' });
}

function ofNamespace(rule: Rule): Rule {
  const { expr, labels, ...rest } = rule;
  return {
    ...rest,
    expr: expr.replace(selector, (_whole, name: string, matchers = '') => {
      const all = [`namespace="${namespaceMark}"`, matchers].filter((one) => one !== '');
      return `${name}{${all.join(', ')}}`;
    }),
    labels: { ...labels, namespace: namespaceMark },
  };
}

/** A metric of ours or of Node, and what stands in its braces, where strings may hold braces too. */
const selector = /\b((?:holdfast|nodejs|process)[_:][\w:]+)(?:\{((?:"[^"]*"|[^"}])*)\})?/g;
