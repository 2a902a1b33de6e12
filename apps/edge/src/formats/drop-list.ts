// Records what a target's format cannot express. With `strict` the request is refused; otherwise
// the answer's headers list what was dropped.

import { gatewayError } from '@tollgate/contracts';

import type { NormalisedRequest } from './normalised';

export interface DropList {
  drop(path: string): void;
  /**
   * The dropped paths, each once.
   * @throws GatewayError `unsupported_parameter` naming the first path, with `strict`, or if the
   * answer would be wrong without it
   */
  finish(): string[];
}

/**
 * References to state that the provider stores. Without that state the answer would be to a
 * different question, so these are refused even without `strict`.
 */
const INDISPENSABLE =
  /^(previous_response_id|conversation|thread|background|prompt|cached_?[cC]ontent|input\[\d+\]\.(item_reference|compaction))$/;

type Spelling = Pick<NormalisedRequest, 'extras' | 'paths'>;

/** `request` maps a parameter that is dropped under another name to the client's spelling. */
export function createDropList(strict: boolean, request?: Spelling): DropList {
  const paths = new Set<string>();
  return {
    drop: (path) => void paths.add(respelled(path, request)),
    finish() {
      const dropped = [...paths];
      const needed = dropped.find((path) => INDISPENSABLE.test(path));
      const param = needed ?? dropped[0];
      if (param !== undefined && (strict || needed !== undefined)) {
        const name = shortName(param);
        const message = `${name} cannot be passed on to the provider that serves this model.`;
        throw gatewayError('unsupported_parameter', message, {
          param: name,
          details: parametersIn(dropped),
        });
      }
      return dropped;
    },
  };
}

/** Limits how many names an error lists, and the length of each. */
const LISTED_NAMES = 32;
const NAME_CHARACTERS = 128;

function parametersIn(dropped: readonly string[]) {
  const parameters = dropped.slice(0, LISTED_NAMES).map(shortName);
  const moreParameters = dropped.length - parameters.length;
  return moreParameters > 0 ? { parameters, moreParameters } : { parameters };
}

function shortName(name: string): string {
  return name.length <= NAME_CHARACTERS ? name : `${name.slice(0, NAME_CHARACTERS)}...`;
}

/**
 * Finds the longest prefix of the path that has another name: `metadata.a` is within `metadata`.
 */
function respelled(path: string, { extras, paths }: Partial<Spelling> = {}): string {
  if (paths === undefined || (extras && Object.hasOwn(extras, path))) return path;
  for (let end = path.length; end > 0; end--) {
    const next = path[end];
    if (next !== undefined && next !== '.' && next !== '[') continue;
    const name = path.slice(0, end);
    if (Object.hasOwn(paths, name)) return `${paths[name]}${path.slice(end)}`;
  }
  return path;
}
