import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { endpoints } from '../../services/api-gateway/src/app.ts';
import { createApiDocument } from '../../services/api-gateway/src/openapi/document.ts';
import { root } from '../child.mjs';

const document = createApiDocument(endpoints);
writeFileSync(path.join(root, 'docs/openapi.json'), `${JSON.stringify(document, null, 2)}\n`);
