import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { AskingRule as _tollgate_screening_v1_AskingRule, AskingRule__Output as _tollgate_screening_v1_AskingRule__Output } from './tollgate/screening/v1/AskingRule';
import type { CheckFinding as _tollgate_screening_v1_CheckFinding, CheckFinding__Output as _tollgate_screening_v1_CheckFinding__Output } from './tollgate/screening/v1/CheckFinding';
import type { CheckReply as _tollgate_screening_v1_CheckReply, CheckReply__Output as _tollgate_screening_v1_CheckReply__Output } from './tollgate/screening/v1/CheckReply';
import type { CheckRequest as _tollgate_screening_v1_CheckRequest, CheckRequest__Output as _tollgate_screening_v1_CheckRequest__Output } from './tollgate/screening/v1/CheckRequest';
import type { CheckStreamReply as _tollgate_screening_v1_CheckStreamReply, CheckStreamReply__Output as _tollgate_screening_v1_CheckStreamReply__Output } from './tollgate/screening/v1/CheckStreamReply';
import type { CheckStreamRequest as _tollgate_screening_v1_CheckStreamRequest, CheckStreamRequest__Output as _tollgate_screening_v1_CheckStreamRequest__Output } from './tollgate/screening/v1/CheckStreamRequest';
import type { CheckStreamStart as _tollgate_screening_v1_CheckStreamStart, CheckStreamStart__Output as _tollgate_screening_v1_CheckStreamStart__Output } from './tollgate/screening/v1/CheckStreamStart';
import type { CheckedPiece as _tollgate_screening_v1_CheckedPiece, CheckedPiece__Output as _tollgate_screening_v1_CheckedPiece__Output } from './tollgate/screening/v1/CheckedPiece';
import type { CheckedText as _tollgate_screening_v1_CheckedText, CheckedText__Output as _tollgate_screening_v1_CheckedText__Output } from './tollgate/screening/v1/CheckedText';
import type { ScreeningClient as _tollgate_screening_v1_ScreeningClient, ScreeningDefinition as _tollgate_screening_v1_ScreeningDefinition } from './tollgate/screening/v1/Screening';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  tollgate: {
    screening: {
      v1: {
        AskingRule: MessageTypeDefinition<_tollgate_screening_v1_AskingRule, _tollgate_screening_v1_AskingRule__Output>
        CheckFinding: MessageTypeDefinition<_tollgate_screening_v1_CheckFinding, _tollgate_screening_v1_CheckFinding__Output>
        CheckReply: MessageTypeDefinition<_tollgate_screening_v1_CheckReply, _tollgate_screening_v1_CheckReply__Output>
        CheckRequest: MessageTypeDefinition<_tollgate_screening_v1_CheckRequest, _tollgate_screening_v1_CheckRequest__Output>
        CheckStreamReply: MessageTypeDefinition<_tollgate_screening_v1_CheckStreamReply, _tollgate_screening_v1_CheckStreamReply__Output>
        CheckStreamRequest: MessageTypeDefinition<_tollgate_screening_v1_CheckStreamRequest, _tollgate_screening_v1_CheckStreamRequest__Output>
        CheckStreamStart: MessageTypeDefinition<_tollgate_screening_v1_CheckStreamStart, _tollgate_screening_v1_CheckStreamStart__Output>
        CheckedPiece: MessageTypeDefinition<_tollgate_screening_v1_CheckedPiece, _tollgate_screening_v1_CheckedPiece__Output>
        CheckedText: MessageTypeDefinition<_tollgate_screening_v1_CheckedText, _tollgate_screening_v1_CheckedText__Output>
        /**
         * A service that judges texts for screening rules of the kinds EXTERNAL and PLUGIN. Written by operators; the edge is
         * its client. The same over HTTP: POST with these messages as JSON, field names in lower camel case.
         */
        Screening: SubtypeConstructor<typeof grpc.Client, _tollgate_screening_v1_ScreeningClient> & { service: _tollgate_screening_v1_ScreeningDefinition }
      }
    }
  }
}

