import { loadLanguage } from './language.ts';

await loadLanguage();
await import('./pages.tsx');
