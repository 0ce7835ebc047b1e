// Only Scalar's bundle for browsers is used, which contains what it depends on: 250 packages, 200 MB.
module.exports = {
  hooks: {
    readPackage: (manifest) =>
      manifest.name === '@scalar/api-reference' ? { ...manifest, dependencies: {} } : manifest,
  },
};
