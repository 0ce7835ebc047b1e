import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { chartRules } from '../../packages/testkit/src/observability/chartRules.ts';
import { root } from '../child.mjs';

writeFileSync(path.join(root, 'deploy/helm/holdfast/files/rules.yaml'), chartRules());
