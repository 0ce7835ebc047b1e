import { describeBehaviour } from './behaviourSuite.ts';
import { startDriver } from './drivers.ts';
import { copyFromSdk, installTypeScriptSdk, machineEnvironment } from './installed.ts';

describeBehaviour({
  async TypeScript(folder) {
    await installTypeScriptSdk(folder, { type: 'module' });
    return startDriver('node', [copyFromSdk('behaviour.mjs', folder)], {
      cwd: folder,
      env: machineEnvironment(),
    });
  },
});
