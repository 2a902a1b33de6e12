// Original file: protos/tollgate/screening/v1/screening.proto

import type { CheckStreamStart as _tollgate_screening_v1_CheckStreamStart, CheckStreamStart__Output as _tollgate_screening_v1_CheckStreamStart__Output } from '../../../tollgate/screening/v1/CheckStreamStart';
import type { CheckedPiece as _tollgate_screening_v1_CheckedPiece, CheckedPiece__Output as _tollgate_screening_v1_CheckedPiece__Output } from '../../../tollgate/screening/v1/CheckedPiece';

export interface CheckStreamRequest {
  /**
   * the first message, and no other
   */
  'start'?: (_tollgate_screening_v1_CheckStreamStart | null);
  'piece'?: (_tollgate_screening_v1_CheckedPiece | null);
  'message'?: "start"|"piece";
}

export interface CheckStreamRequest__Output {
  /**
   * the first message, and no other
   */
  'start'?: (_tollgate_screening_v1_CheckStreamStart__Output | null);
  'piece'?: (_tollgate_screening_v1_CheckedPiece__Output | null);
  'message'?: "start"|"piece";
}
