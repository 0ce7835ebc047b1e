import { reasonOf } from '@holdfast/kit/within';
import { Cluster } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Cluster';
import { Pooler } from '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io/v1/Pooler';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { TriggerAuthentication } from '@kubernetes-models/keda/keda.sh/v1alpha1/TriggerAuthentication';
import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { isDict } from '../../../scripts/generators/chart.ts';
import { type KubernetesObject } from './renderChart.ts';

type Model = { prototype: { validate(): void } };
const models: Record<string, Model> = {
  'v1 ConfigMap': ConfigMap,
  'v1 PersistentVolumeClaim': PersistentVolumeClaim,
  'v1 Service': Service,
  'apps/v1 Deployment': Deployment,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'batch/v1 Job': Job,
  'keda.sh/v1alpha1 ScaledObject': ScaledObject,
  'keda.sh/v1alpha1 TriggerAuthentication': TriggerAuthentication,
  'monitoring.coreos.com/v1 PodMonitor': PodMonitor,
  'monitoring.coreos.com/v1 PrometheusRule': PrometheusRule,
  'networking.k8s.io/v1 Ingress': Ingress,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'postgresql.cnpg.io/v1 Cluster': Cluster,
  'postgresql.cnpg.io/v1 Pooler': Pooler,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
};

/**
 * The errors of an object by its schema (Kubernetes 1.36: kubernetes-models 5.1; the CRDs of KEDA, the Prometheus
 * operator and CloudNativePG), a line each. Unknown fields are errors too: the API server drops them or refuses the object, but the schema
 * ignores them. A validator reads every field that it knows, so a field that it never reads is unknown.
 */
export function schemaProblems(object: KubernetesObject): string[] {
  const model = models[`${object.apiVersion} ${object.kind}`];
  if (!model) return [`there is no schema of ${object.apiVersion} ${object.kind}`];
  const read = new Map<object, Set<PropertyKey>>();
  try {
    model.prototype.validate.call(watched(object, read));
  } catch (error) {
    return [reasonOf(error)];
  }
  return unread(object, '', read);
}

function watched<Value extends object>(value: Value, read: Map<object, Set<PropertyKey>>): Value {
  const seen = new Set<PropertyKey>();
  read.set(value, seen);
  return new Proxy(value, {
    get(target, key) {
      seen.add(key);
      const inside: unknown = Reflect.get(target, key);
      if (typeof inside !== 'object' || inside === null || !Object.hasOwn(target, key)) return inside;
      return watched(inside, read);
    },
  });
}

function unread(value: unknown, path: string, read: Map<object, Set<PropertyKey>>): string[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => unread(item, `${path}/${at}`, read));
  if (!isDict(value)) return [];
  return Object.entries(value).flatMap(([key, inside]) =>
    read.get(value)?.has(key) ? unread(inside, `${path}/${key}`, read) : [`${path}/${key} is not known`],
  );
}
