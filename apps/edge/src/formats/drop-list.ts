// What a target's format cannot say is never lost in silence: it is refused when the client is
// strict, and named in the answer's headers otherwise.

import { gatewayError } from '@tollgate/contracts';
import type { NormalisedRequest } from './normalised';

export interface DropList {
  drop(path: string): void;
  /**
   * The paths dropped, each once.
   * @throws GatewayError `unsupported_parameter` naming the first, when `strict`; whether strict or
   * not, when the answer would be wrong without it
   */
  finish(): string[];
}

/**
 * What is kept by the provider that a request names it to. Without it the answer would be one to
 * another question, so that it is never dropped, strict or not.
 */
const INDISPENSABLE =
  /^(previous_response_id|conversation|thread|background|prompt|cached_?[cC]ontent|input\[\d+\]\.(item_reference|compaction))$/;

type Spelling = Pick<NormalisedRequest, 'extras' | 'paths'>;

/** `request` says what its client calls a parameter that is dropped under another name. */
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

/** How many names an error lists, and how long each may be. */
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

/** The longest beginning of the path that has another name: `metadata.a` is within `metadata`. */
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
