// SPDX-License-Identifier: Apache-2.0
// The thread that computes the whole run while the page already plays it.
import {record} from './recorder.js';

onmessage = ({data: {document, steps}}) => record(document, steps, (message) => postMessage(message));
