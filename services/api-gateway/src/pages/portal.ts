import { findPortalFrame, type PortalFrame } from '@holdfast/db/portalSessions';
import { isId } from '@holdfast/domain/ids';
import { isImageUrl } from '@holdfast/domain/portal';
import type { Express, Response } from 'express';
import type { Context } from '../context/context.ts';
import { consolePolicy, openConsoleFiles } from './consoleFiles.ts';

/** Serves the tenants' portal at /console. The path names the session, whose row says who may frame its pages. */
export function mountPortal(app: Express, { db }: Pick<Context, 'db'>, folder?: string): void {
  const files = openConsoleFiles(folder);
  app.get(['/console', '/console/*path'], async (request, response, next) => {
    if (request.path === '/console') {
      response.redirect(302, 'console/');
      return;
    }
    const path = request.path.slice('/console/'.length);
    const [, id = ''] = /^s\/([^/]+)/.exec(path) ?? [];
    const frame = isId('pses', id) ? await findPortalFrame(db, id) : null;
    const policy = setFrame(response, frame);
    if (!(await files.send(request, response, { path, page: 'portal.html', policy }))) next();
  });
}

/** A browser without `frame-ancestors` is refused every frame by `X-Frame-Options`, so that stays where none is allowed. */
function setFrame(response: Response, frame: PortalFrame | null): string {
  const ancestors = frame?.frameAncestors ?? [];
  if (ancestors.length > 0) response.removeHeader('X-Frame-Options');
  else response.set('X-Frame-Options', 'DENY');
  return consolePolicy({
    frameAncestors: ancestors.length > 0 ? ancestors.join(' ') : "'none'",
    ...(frame?.logoUrl && isImageUrl(frame.logoUrl) && { images: imageSource(frame.logoUrl) }),
  });
}

/** Without its query, which a policy cannot name. */
function imageSource(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
