/** The same in the build, which writes the index, and in the page, which reads it. */
export const searchOptions = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['location', 'title', 'heading', 'excerpt', 'section', 'rank'],
  tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u).filter((term) => term !== ''),
  processTerm: (term) => term.toLowerCase().replace(/(?<=\w{3})s$/, ''),
  searchOptions: {
    boost: { title: 6, heading: 4 },
    weights: { prefix: 0.15, fuzzy: 0.1 },
    combineWith: 'AND',
    prefix: (_term, index, terms) => index === terms.length - 1,
    fuzzy: (term) => (term.length > 5 && !term.includes('_') ? 0.15 : false),
    boostDocument: (_id, _term, { rank }) => rank,
  },
};
