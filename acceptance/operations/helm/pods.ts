import { type Dict, isDict } from '../../../scripts/generators/chart.ts';
import { type KubernetesObject } from './renderChart.ts';

export type EnvVariable = {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
};
export type Container = {
  name: string;
  image: string;
  env: EnvVariable[];
  envFrom?: Dict[];
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop: { exec: { command: string[] } } };
  resources: { requests: Dict; limits: Dict };
  securityContext: Dict;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  startupProbe?: Dict;
  livenessProbe?: Dict;
  readinessProbe?: Dict;
};
/** The parts of a workload that the tests read. */
export type Workload = {
  name: string;
  kind: string;
  spec: Dict;
  labels: Record<string, string>;
  pod: Dict & { securityContext: Dict; terminationGracePeriodSeconds: number; volumes: Dict[] };
  container: Container;
};

/** The Deployments and Jobs among the objects. Each has one container. */
export function workloadsOf(objects: KubernetesObject[]): Workload[] {
  return objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(workloadOf);
}

function workloadOf({ kind, spec }: KubernetesObject): Workload {
  const { template } = spec as { template: { metadata: Workload; spec: Workload['pod'] } };
  const containers = template.spec['containers'] as Container[];
  const [container, more] = containers;
  if (!container || more || template.spec['initContainers']) throw new Error('not one container');
  const { labels } = template.metadata;
  return {
    name: container.name,
    kind,
    spec: spec as Dict,
    labels,
    pod: template.spec,
    container,
  };
}

export const ofKind = (objects: KubernetesObject[], kind: string) =>
  objects.filter((object) => object.kind === kind);

/** Whether a selector (`matchLabels`, or a Service's labels) matches these labels. */
export function selects(selector: unknown, labels: Record<string, string>): boolean {
  if (!isDict(selector)) return false;
  const wanted = isDict(selector['matchLabels']) ? selector['matchLabels'] : selector;
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}
