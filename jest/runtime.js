// Test files of one worker share the modules that they import; Jest by itself loads all of them again for each
// file (decision 128). Test files and their fixtures are loaded for each file, so their state is their own.
// In `jest.isolateModules`, nothing is shared.
const Runtime = require('jest-runtime').default;

const OF_A_FILE = /\.test\.tsx?$|\/test-support\/|\/packages\/e2e\//;

/** The runtimes that hold what is shared, by project. They live as long as the worker. */
const holders = new Map();

class Holder extends Runtime {
  teardown() {}
}

module.exports = class SharingRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const [{ id }] = args;
    if (!holders.has(id)) holders.set(id, new Holder(...args));
    this.holder = holders.get(id);
  }

  requireModule(from, name, options, isActual) {
    if (this.isOfFile(from, name, options)) {
      return super.requireModule(from, name, options, isActual);
    }
    return this.holder.requireModule(from, name, options, isActual);
  }

  /** Source maps of this file's modules and of the shared ones, which grow meanwhile. */
  getSourceMaps() {
    const [own, shared] = [super.getSourceMaps(), this.holder.getSourceMaps()];
    return {
      get: (path) => own.get(path) ?? shared.get(path),
      *[Symbol.iterator]() {
        yield* shared;
        yield* own;
      },
    };
  }

  isOfFile(from, name, options) {
    // The test file itself, and the files of `setupFiles`, have no name.
    if (name === undefined || options?.isInternalModule === true) return true;
    if (this.registries.isIsolated() || this._resolution.isCoreModule(name)) return true;
    return OF_A_FILE.test(this._resolution.resolveCjs(from, name));
  }
};
