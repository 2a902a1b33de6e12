// Original file: protos/tollgate/screening/v1/screening.proto

import type { CheckFinding as _tollgate_screening_v1_CheckFinding, CheckFinding__Output as _tollgate_screening_v1_CheckFinding__Output } from '../../../tollgate/screening/v1/CheckFinding';

export interface CheckReply {
  /**
   * PASS, BLOCK
   */
  'verdict'?: (string);
  /**
   * also with PASS: the rule's action decides what happens to them
   */
  'findings'?: (_tollgate_screening_v1_CheckFinding)[];
  /**
   * Of a rule of the kind PLUGIN: what the refused client reads, and the parameters that change, null for
   * those that go. Over HTTP the latter are the object `parameters`.
   */
  'message'?: (string);
  'parametersJson'?: (string);
  /**
   * One of `route_to`: the request goes to this model, if its key is granted it. Empty: to the one that it asks for.
   */
  'model'?: (string);
  /**
   * Of a rule of the kind PLUGIN that may tag: at most 10, with keys of the rule. A value has at most 120 of letters,
   * digits, spaces and . _ / @ + -.
   */
  'tags'?: ({[key: string]: string});
}

export interface CheckReply__Output {
  /**
   * PASS, BLOCK
   */
  'verdict': (string);
  /**
   * also with PASS: the rule's action decides what happens to them
   */
  'findings': (_tollgate_screening_v1_CheckFinding__Output)[];
  /**
   * Of a rule of the kind PLUGIN: what the refused client reads, and the parameters that change, null for
   * those that go. Over HTTP the latter are the object `parameters`.
   */
  'message': (string);
  'parametersJson': (string);
  /**
   * One of `route_to`: the request goes to this model, if its key is granted it. Empty: to the one that it asks for.
   */
  'model': (string);
  /**
   * Of a rule of the kind PLUGIN that may tag: at most 10, with keys of the rule. A value has at most 120 of letters,
   * digits, spaces and . _ / @ + -.
   */
  'tags': ({[key: string]: string});
}
