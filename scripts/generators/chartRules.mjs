import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../child.mjs';
import { chartRules } from './rulesOfChart.ts';

writeFileSync(path.join(root, 'deploy/helm/holdfast/files/rules.yaml'), chartRules());
