'use client';

import { rest } from '@tollgate/contracts';
import { Download } from 'lucide-react';

import { Button, buttonClass } from '../../design/button';
import { DialogActions, DialogBody } from '../../design/dialog';
import { Facts } from '../../design/facts';
import { showTime } from '../../format/time';
import { Window } from '../../resource/form-dialog';
import type { Get } from '../../resource/list-input';
import { useOrganisation } from '../../shell/scope';
import { exportOf, type Exported } from './export';
import type { Usage } from './use-usage';

interface ExportWindowProps {
  readonly of?: Exported;
  readonly usage: Usage;
  readonly get: Get;
  readonly onClose: () => void;
}

const CONTENT: Readonly<Record<Exported, string>> = {
  requests:
    'Each line has the request’s ids and times (in UTC), team, user, key, model and provider or MCP server, its result, its tokens by class, its cost in US dollars as first charged, and its latency. Prompts and answers are not kept, so the file does not contain them.',
  mcp: 'Each line has the request’s ids and times (in UTC), team, user, key and MCP server, its method and tool, prompt or resource, its result, its cost in US dollars as first charged, its latency and its sizes. Arguments and results are not kept, so the file does not contain them.',
};

/** Describes the export before the download. The browser streams it to disk. */
export function ExportWindow({ of = 'requests', usage, get, onClose }: ExportWindowProps) {
  const { id: organisationId, timeZone } = useOrganisation();
  const { state } = usage;
  const { href, tooLong, filtered } = exportOf(organisationId, state, get, of);
  const { startMs, endMs } = state.span;
  const moment = (ms: number): string =>
    `${showTime(ms, 'date', timeZone)}, ${showTime(ms, 'hour', timeZone)}`;
  return (
    <Window
      title={of === 'mcp' ? 'Export MCP requests' : 'Export requests'}
      description="As CSV, oldest first, one line per request."
      onClose={onClose}
    >
      <DialogBody>
        <Facts
          facts={[
            { name: 'From', value: moment(startMs) },
            { name: 'Until (exclusive)', value: moment(endMs) },
            {
              name: 'Which',
              value: filtered ? 'filtered as in the list' : 'all requests that you may see',
            },
          ]}
        />
        <p className="text-ink-soft">
          {CONTENT[of]} Corrections are shown on the requests’ own pages.
        </p>
        {tooLong && (
          <p role="alert" className="text-bad">
            One file covers at most {rest.USAGE_EXPORT_DAYS} days. Choose a shorter period first.
          </p>
        )}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        {!tooLong && (
          <a
            href={href}
            download
            className={buttonClass({ look: 'primary' })}
            onClick={() => setTimeout(onClose)}
          >
            <Download aria-hidden />
            Download CSV
          </a>
        )}
      </DialogActions>
    </Window>
  );
}
