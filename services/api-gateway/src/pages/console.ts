import type { Express } from 'express';
import { consolePolicy, openConsoleFiles } from './consoleFiles.ts';

/** `blob:`: files are previewed before their upload. */
const policy = consolePolicy({ frameAncestors: "'none'", images: 'blob:' });

/** Serves the operators' console at /console. `folder`: where it is built. */
export function mountConsole(app: Express, folder?: string): void {
  const files = openConsoleFiles(folder);
  // Relative, because a proxy may serve the port below a path.
  app.get('/', (_request, response) => response.redirect(302, 'console/'));
  app.get(['/console', '/console/*path'], async (request, response, next) => {
    if (request.path === '/console') {
      response.redirect(302, 'console/');
      return;
    }
    const path = request.path.slice('/console/'.length);
    if (!(await files.send(request, response, { path, page: 'index.html', policy }))) next();
  });
}
