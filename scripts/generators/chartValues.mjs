import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { readmeWithValues } from '../../acceptance/helm/valuesTable.ts';
import { root } from '../child.mjs';

writeFileSync(path.join(root, 'deploy/helm/holdfast/README.md'), readmeWithValues());
