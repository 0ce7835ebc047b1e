import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../child.mjs';
import { readmeWithValues } from './valuesTable.ts';

writeFileSync(path.join(root, 'deploy/helm/holdfast/README.md'), readmeWithValues());
