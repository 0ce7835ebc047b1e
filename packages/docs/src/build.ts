import { buildSite, isFresh, repository, siteFolder } from './site.ts';

// Builds the site for the gateway, if it is not of the present sources.
if (!isFresh(repository, siteFolder)) {
  const startedAt = performance.now();
  const { pages, files } = buildSite(repository, siteFolder);
  console.log(`${pages} pages in ${files} files, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
