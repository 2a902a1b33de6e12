// Keeps the report of a stream that is translated: the same one a usage tap keeps of a stream that
// is passed on.

import type { StreamReport } from './format';
import type { StreamEvent } from './normalised';
import { createOutputCounter, createReport } from './report';

export interface StreamMeter {
  see(event: StreamEvent): void;
  readonly report: StreamReport;
}

export function createStreamMeter(): StreamMeter {
  const report = createReport();
  const countBytes = createOutputCounter(report);
  const count = (text: string): void => countBytes(Buffer.byteLength(text));

  function see(event: StreamEvent): void {
    switch (event.type) {
      case 'start':
        report.responseId = event.id;
        report.model = event.model;
        if (event.inputUsage) report.inputUsage = event.inputUsage;
        return;
      case 'text':
      case 'refusal':
        return count(event.text);
      case 'thinking':
        return count(event.text ?? event.redacted ?? '');
      case 'tool_start':
        return count(event.name);
      case 'tool_delta':
        return count(event.arguments);
      case 'audio':
        return count(event.data ?? event.transcript ?? '');
      case 'image':
        return count(event.url);
      case 'citation':
        return;
      case 'stop':
        report.stopReason ??= event.reason;
        report.rawStopReason ??= event.rawReason;
        return;
      case 'usage':
        report.usage = event.usage.tokens;
        return;
      case 'end':
        report.terminal = true;
        return;
      case 'error':
        report.fault = event.fault;
        report.error = event.error;
    }
  }

  return { report, see };
}
