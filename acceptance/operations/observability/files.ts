import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { groupsOf, type Rule } from '../../../scripts/generators/ruleFiles.ts';

export const root = resolve(import.meta.dirname, '../../..');
export const folder = join(root, 'deploy/observability');

/** A query, and its location. */
export type Query = { where: string; expr: string };

export const readYaml = (file: string): unknown => parse(readFileSync(join(folder, file), 'utf8'));

export const rulesOf = (file: string): Rule[] => groupsOf(file).flatMap(({ rules }) => rules);

export const alerts = () => rulesOf('alerts.yml').filter(({ alert }) => alert !== undefined);

type Source = { type: string; uid: string };
type GridPosition = { x: number; y: number; w: number; h: number };
type Panel = {
  id: number;
  title: string;
  datasource: Source;
  gridPos: GridPosition;
  targets: { refId: string; expr: string; legendFormat: string }[];
};
type Variable = { name: string; type: string; datasource?: Source; allValue?: string };
export type Dashboard = {
  file: string;
  uid: string;
  title: string;
  panels: Panel[];
  templating: { list: Variable[] };
};

export function dashboards(): Dashboard[] {
  const at = join(folder, 'grafana/dashboards');
  return readdirSync(at).map((file) => ({
    file,
    ...(JSON.parse(readFileSync(join(at, file), 'utf8')) as Omit<Dashboard, 'file'>),
  }));
}

/** Every query of rules and dashboards, and of the chart's scaling triggers. */
export function queries(): Query[] {
  const rules = ['alerts.yml', 'recording.yml'].flatMap((file) =>
    rulesOf(file).map(({ alert, record, expr }) => ({ where: alert ?? record ?? '', expr })),
  );
  const panels = dashboards().flatMap(({ file, panels: filePanels }) =>
    filePanels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ where: `${file}: ${title}`, expr })),
    ),
  );
  const scaling = readFileSync(join(root, 'deploy/helm/holdfast/templates/autoscaling.yaml'), 'utf8');
  const scaled = scaling.match(/sum\(holdfast_\w+/g) ?? [];
  return [...rules, ...panels, ...scaled.map((expr) => ({ where: 'autoscaling.yaml', expr }))];
}
