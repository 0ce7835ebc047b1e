import { installSdk, pythonWithTools } from './environment.ts';

// Installs the SDK into the folder of the argument, and prints the interpreter that finds it there by PYTHONPATH.
const [, , folder = ''] = process.argv;
const python = await pythonWithTools();
await installSdk(python, folder);
console.log(python);
