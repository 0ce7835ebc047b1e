import path from 'node:path';
import { ensureTools } from './dependencies.mjs';

const folder = 'sdk/tools';

/** A file of a tool that builds or checks the SDKs. */
export const sdkTool = (file) => path.join(folder, 'node_modules', file);

/** Installs the tools of the SDKs when they have changed. They are no part of what `npm start` installs. */
export const ensureSdkTools = () => ensureTools(folder, 'the SDKs', console.error);
