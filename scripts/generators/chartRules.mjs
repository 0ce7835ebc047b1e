import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { chartRules } from '../../acceptance/observability/chartRules.ts';
import { root } from '../child.mjs';

writeFileSync(path.join(root, 'deploy/helm/holdfast/files/rules.yaml'), chartRules());
