// Keeps the report of a translated stream: the same report that a usage tap keeps of a stream that
// is passed on.

import type { StreamReport } from './format';
import type { StreamEvent } from './normalised';
import { createOutputBuffer, PLAIN_TEXT, type OutputBuffer } from './output-buffer';
import { createOutputCounter, createReport } from './report';

export interface StreamMeter {
  see(event: StreamEvent): void;
  readonly report: StreamReport;
  readonly output: OutputBuffer;
}

export function createStreamMeter(): StreamMeter {
  const report = createReport();
  const output = createOutputBuffer(PLAIN_TEXT);
  const countBytes = createOutputCounter(report);
  const count = (text: string): void => countBytes(Buffer.byteLength(text));

  function see(event: StreamEvent): void {
    bufferEvent(output, event);
    switch (event.type) {
      case 'start':
        report.responseId = event.id;
        report.model = event.model;
        if (event.inputUsage) report.inputUsage = event.inputUsage;
        if (event.serviceTier !== undefined) report.tiers = { service: event.serviceTier };
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
      case 'web_search':
        return;
      case 'units':
        report.units = event.units;
        return;
      case 'stop':
        report.stopReason ??= event.reason;
        report.rawStopReason ??= event.rawReason;
        return;
      case 'usage':
        report.usage = event.usage.tokens;
        if (event.usage.tiers) report.tiers = event.usage.tiers;
        // The provider's count replaces the observed one: a failed search is not billed.
        if (event.usage.units) report.units = event.usage.units;
        else delete report.units;
        return;
      case 'end':
        report.terminal = true;
        return;
      case 'error':
        report.fault = event.fault;
        report.error = event.error;
    }
  }

  return { report, output, see };
}

/** The channels of one choice; tool calls are numbered from the last on. */
const [TEXT, REFUSAL, THINKING, TRANSCRIPT, CALLS] = [0, 1, 2, 3, 4] as const;
const CHANNELS_PER_CHOICE = 65_536;

/** Buffers the output of an event. A tool's name is output, like its arguments. */
export function bufferEvent(buffer: OutputBuffer, event: StreamEvent): void {
  switch (event.type) {
    case 'text':
      return buffer.add(channelOf(event, TEXT), event.text);
    case 'refusal':
      return buffer.add(channelOf(event, REFUSAL), event.text);
    case 'thinking':
      if (event.text === undefined) buffer.addOpaque(event.redacted?.length ?? 0);
      return buffer.add(channelOf(event, THINKING), event.text ?? '');
    case 'tool_start':
      return buffer.add(channelOf(event, CALLS + event.tool), event.name);
    case 'tool_delta':
      return buffer.add(channelOf(event, CALLS + event.tool), event.arguments);
    case 'audio':
      buffer.addOpaque(event.data?.length ?? 0);
      return buffer.add(channelOf(event, TRANSCRIPT), event.transcript ?? '');
    case 'image':
      return buffer.addOpaque(event.url.length);
    case 'usage':
      return buffer.clear();
    default:
  }
}

function channelOf({ choice }: { choice: number }, channel: number): number {
  return choice * CHANNELS_PER_CHOICE + channel;
}
