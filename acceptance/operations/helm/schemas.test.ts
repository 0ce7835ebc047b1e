import { describe, expect, it } from '@jest/globals';
import { type KubernetesObject, renderChart, valueSets, valuesOf } from './renderChart.ts';
import { schemaProblems } from './schemas.ts';

function deployment(spec: object): KubernetesObject {
  const labels = { app: 'a' };
  const template = { metadata: { labels }, spec };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { selector: { matchLabels: labels }, template },
  };
}

describe('the objects of the chart', () => {
  it.each(valueSets)('are valid Kubernetes objects with the values %s', (name) => {
    const objects = renderChart(valuesOf(name));
    const problems = objects.flatMap((object) =>
      schemaProblems(object).map((problem) => `${object.kind} ${object.metadata.name}: ${problem}`),
    );
    expect(objects.length).toBeGreaterThan(10);
    expect(problems).toEqual([]);
  });

  it('cover every kind of object', () => {
    const kinds = new Set(valueSets.flatMap((name) => renderChart(valuesOf(name))).map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'PodMonitor',
      'PrometheusRule',
      'ScaledObject',
      'Service',
      'TriggerAuthentication',
    ]);
  });
});

describe('the schemas', () => {
  const container = { name: 'a', image: 'b' };

  it('accept a valid object', () => {
    expect(schemaProblems(deployment({ containers: [container] }))).toEqual([]);
  });

  it.each([
    ['a wrong type', { containers: [{ ...container, ports: [{ containerPort: 'http' }] }] }],
    ['a missing field', { containers: [{ image: 'b' }] }],
    ['a value that is not in the enum', { containers: [container], restartPolicy: 'Sometimes' }],
    ['an unknown field', { containers: [{ ...container, readynessProbe: {} }] }],
    ['a field in the wrong place', { containers: [container], readOnlyRootFilesystem: true }],
  ])('find %s', (_what, spec) => {
    expect(schemaProblems(deployment(spec))).toHaveLength(1);
  });

  it('find an unknown kind of object', () => {
    expect(schemaProblems({ apiVersion: 'v1', kind: 'Pot', metadata: { name: 'a' } })).toHaveLength(1);
  });
});
