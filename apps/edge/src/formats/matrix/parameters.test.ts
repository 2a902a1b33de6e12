// Every parameter of every client format, at every upstream: sent, reported as dropped, or refused,
// and never lost silently. The vendors' own types make the tables complete: a release that adds a
// parameter does not compile until it has a row.

import { GatewayError } from '@tollgate/contracts';

import { FORMATS, type EncodedRequest, type NormalisedRequest } from '..';
import { camelName } from '../gemini-generate/names';
import type { JsonObject } from '../normalised';
import { CLIENTS, type Client } from './test-support/clients';
import {
  differences,
  TARGETS,
  VERBATIM,
  type Cell,
  type Row,
  type Rows,
  type TargetName,
} from './test-support/matrix';

interface Case {
  title: string;
  client: Client;
  row: Row;
}

const cases = CLIENTS.flatMap((client) =>
  Object.entries(client.tables).flatMap(([section, table]) =>
    Object.entries(table).flatMap(([name, rows]): Case[] =>
      rowsIn(rows).map((row) => {
        const title = `${client.format} ${section} ${name}: ${JSON.stringify(row.sample)}`;
        return { title: title.slice(0, 160), client, row };
      }),
    ),
  ),
);

function rowsIn(rows: Rows): readonly Row[] {
  if (typeof rows === 'string') return [];
  return 'sample' in rows ? [rows] : rows;
}

function cellOf({ client, row }: Case, target: TargetName): Cell {
  const cell = row.cells[target] ?? (target === 'server' ? row.cells.chat : undefined);
  if (client.own.includes(target)) return row.cells[target] ?? VERBATIM;
  if (cell === undefined) throw new Error(`no row says what becomes of it at ${target}`);
  return cell;
}

function decode({ client }: Case, body: JsonObject): NormalisedRequest {
  return FORMATS[client.format].decodeRequest(body, client.model ? { model: client.model } : {});
}

const asked = ({ client, row }: Case): JsonObject => ({
  ...client.plain,
  ...row.required,
  ...row.sample,
});
const unasked = ({ client, row }: Case): JsonObject => ({ ...client.plain, ...row.required });

function encode(request: NormalisedRequest, name: TargetName, strict: boolean): EncodedRequest {
  const { format, context } = TARGETS[name];
  return FORMATS[format].encodeRequest(request, { ...context, strict });
}

/** The refusal that encoding throws; any other error is a fault of the codec. */
function refusalOf(run: () => unknown): GatewayError {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

const targets = Object.keys(TARGETS) as TargetName[];

describe.each(cases)('$title', (one: Case) => {
  test.each(targets)('to %s', (target) => {
    const cell = cellOf(one, target);
    const request = decode(one, asked(one));
    if (cell.fate === 'refused') {
      const { code, param } = refusalOf(() => encode(request, target, false));
      expect({ code, param }).toEqual({ code: 'unsupported_parameter', param: cell.param });
      return;
    }
    const { body, dropped } = encode(request, target, false);
    const before = encode(decode(one, unasked(one)), target, false);
    const places = differences(before.body, body);
    expect({ places, dropped: dropped.filter((path) => !before.dropped.includes(path)) }).toEqual({
      places: placesOf(one, cell),
      dropped: 'dropped' in cell ? cell.dropped : [],
    });
  });

  test.each(targets)('to %s, strictly', (target) => {
    const cell = cellOf(one, target);
    const request = decode(one, asked(one));
    const dropped = 'dropped' in cell ? cell.dropped : [];
    if (cell.fate !== 'refused' && dropped.length === 0) {
      expect(encode(request, target, true)).toEqual(encode(request, target, false));
      return;
    }
    const { code, status, param, details } = refusalOf(() => encode(request, target, true));
    const [first] = dropped;
    expect({ code, status, param }).toEqual({
      code: 'unsupported_parameter',
      status: 400,
      param: cell.fate === 'refused' ? cell.param : first,
    });
    if (cell.fate !== 'refused') expect(details).toEqual({ parameters: dropped });
  });

  test('is reported in the client’s spelling', () => {
    const names = new Set(Object.keys(asked(one)).map(camelName));
    for (const target of targets) {
      const cell = cellOf(one, target);
      const paths = cell.fate === 'refused' ? [cell.param] : 'dropped' in cell ? cell.dropped : [];
      for (const path of paths) {
        expect(names).toContain(camelName(path.split(/[.[]/)[0] ?? ''));
      }
    }
  });
});

function placesOf(one: Case, cell: Cell): Readonly<Record<string, unknown>> {
  if (cell.fate === 'honoured') return cell.at;
  return cell.fate === 'verbatim' ? differences(unasked(one), asked(one)) : {};
}
