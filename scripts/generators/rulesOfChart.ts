import { stringify } from 'yaml';
import { groupsOf, type Rule } from './ruleFiles.ts';

/** The placeholder that the chart replaces with the namespace of the release. */
const namespaceMark = '@namespace@';

/**
 * The rules of deploy/observability for the chart, limited to the pods of one namespace, because one Prometheus may scrape
 * several installations and other Node programs of a cluster.
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

/** A metric of Holdfast or Node, and its selector, in which strings may contain braces too. */
const selector = /\b((?:holdfast|nodejs|process)[_:][\w:]+)(?:\{((?:"[^"]*"|[^"}])*)\})?/g;
