// Built-in patterns for what an agent in a browser can damage: [regular expression, description, detector].
//
// They are stored with the conversation, so that the SDK's PatternSecurityAnalyzer uses the same ones. Therefore they use
// only syntax that Python and JavaScript share. They are matched without regard to case, in texts in which each run of
// white space is one space. No unbounded quantifier is next to something that it could also match, so matching takes linear time.
import type { PatternLists } from "../types.js";
import { removal } from "./patterns.js";

const r = String.raw;

export const rules: PatternLists = {
  // In arguments and names of a call.
  high_patterns: [
    [r`\b(?:local|session)Storage\s?(?:\.\s?clear|\[\s?["']clear["']\s?\])\s?\(`, "Web storage wiped", "storage.web.clear"],
    [r`\bdeleteDatabase\s?\(`, "IndexedDB database deleted", "storage.indexeddb.delete"],
    [r`\bcaches\s?\.\s?delete\s?\(`, "Cache deleted", "storage.cache.delete"],
    [r`\bremoveEntry\s?\(|\.\s?remove\s?\(\s?\{\s?recursive\b`, "Stored files deleted", "storage.files.delete"],
    [r`\bClear-Site-Data\b`, "All data of a site cleared", "storage.site.clear"],
    [
      r`\bDROP\s+(?:TABLE|DATABASE|SCHEMA)\b|\bTRUNCATE\s+TABLE\b|\bDELETE\s+FROM\s+[\w."]{1,80}\s?(?:;|$)`,
      "Database wiped",
      "storage.sql.wipe",
    ],
    [removal, "Files deleted recursively, unasked", "shell.rm_rf"],
    [r`\b(?:mkfs\.\w|dd\b.{0,200}\bof\s?=\s?["']?/dev/)`, "Disk overwritten", "shell.disk"],
    [
      r`\b(?:wget|curl)\b[^|]{0,300}\|\s?(?:sudo\s)?(?:node|perl|php|python[\d.]{0,4}|ruby|\w{0,3}sh)\b`,
      "Downloaded and executed",
      "shell.fetch_exec",
    ],

    [r`\beval\s?\(|\bnew\s+Function\s?\(|\bset(?:Timeout|Interval)\s?\(\s?["'\x60]`, "Text executed as code", "code.eval"],
    [r`\bimport(?:Scripts)?\s?\(\s?["'\x60]https?:|<script\b[^>]{0,200}\bsrc\s?=`, "Code of another origin executed", "code.remote"],
    [
      r`\bjavascript\s?:|\bdata\s?:\s?text/html|\bsrcdoc\s?=|<[a-z][^>]{0,200}\bon[a-z]{3,20}\s?=`,
      "Code hidden in a link or in markup",
      "code.markup",
    ],
    [r`\bserviceWorker\s?\.\s?register\s?\(`, "Code installed that outlives the page", "code.service_worker"],

    [r`\bdocument\s?(?:\.\s?cookie\b|\[\s?["']cookie["'])|\bcookieStore\s?\.`, "Cookies read or written", "credential.cookie"],
    [r`\bnavigator\s?\.\s?credentials\b|\bPasswordCredential\b`, "Stored credentials used", "credential.manager"],
    [r`-----BEGIN [A-Z ]{0,30}PRIVATE KEY`, "Private key", "credential.private_key"],
    [
      r`\b(?:sk-[\w-]{20}|gh[pousr]_\w{30}|github_pat_\w{20}|glpat-[\w-]{20}|AKIA[0-9A-Z]{16}|AIza[\w-]{35}|xox[abeoprs]-[\w-]{10}|sk_live_\w{16}|eyJ[\w-]{10,500}\.eyJ[\w-]{10})`,
      "Key or token given away",
      "credential.token",
    ],
    [r`https?://[^\s/@:]{1,100}:[^\s/@]{1,100}@`, "Password inside an address", "credential.in_url"],
    [
      r`[?&#](?:access_?token|auth_?token|token|api_?key|passw(?:or)?d|secret|session_?id|cookies?|private_?key)=[^\s&]`,
      "Secret inside an address",
      "credential.in_query",
    ],

    [r`\bsendBeacon\s?\(`, "Data sent in a way that cannot be stopped", "origin.beacon"],
    [r`\bpostMessage\s?\([^)]{0,300},\s?["']\*["']`, "Message to whatever origin there is", "origin.any_window"],
    [
      r`\bhttps?://(?:10\.\d|127\.\d|192\.168\.|169\.254\.|172\.(?:3[01]|2\d|1[6-9])\.|localhost\b|0\.0\.0\.0|\[::|[^\s/]{1,80}\.(?:local|internal|lan)\b)`,
      "Request into the private network",
      "origin.private_network",
    ],
    [r`\bfile:///?|\bchrome(?:-extension)?://|\babout:config\b`, "Files or settings of the browser", "origin.local"],

    [
      r`\bhttps?://[^\s?#]{1,300}\.(?:exe|msi|dmg|pkg|scr|bat|cmd|ps1|vbs|jar|apk|appimage|crx|xpi|deb|rpm)(?:[?#\s"'<)]|$)`,
      "Program downloaded",
      "download.program",
    ],

    [r`\bPaymentRequest\s?\(|\beth_(?:sendTransaction|sign)|\bwindow\s?\.\s?ethereum\b`, "Payment begun", "payment.request"],
    [
      r`(?<![a-z0-9])(?:make|send|submit|confirm|authori[sz]e|execute|create|issue)[\s_-]?(?:a[\s_-])?(?:payment|purchase|refund|payout)s?(?![a-z0-9])|(?<![a-z0-9])(?:transfer|wire|send|withdraw)[\s_-]?(?:money|funds|crypto|bitcoin|btc|eth|usdc?)(?![a-z0-9])|(?<![a-z0-9])(?:place|submit|confirm)[\s_-]?(?:the[\s_-]|an?[\s_-])?order(?![a-z0-9])`,
      "Money spent",
      "payment.verb",
    ],
    [
      r`\b(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6(?:011|5\d\d))[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}\b|\b3[47]\d\d[ -]?\d{6}[ -]?\d{5}\b`,
      "Number of a payment card",
      "payment.card",
    ],
    [r`\b(?:cvv2?|cvc2?|card[\s_-]?verification)\b\W{0,5}\d{3,4}\b`, "Security code of a payment card", "payment.card_code"],

    [r`\bnavigator\s?\.\s?(?:usb|serial|hid|bluetooth)\b`, "Devices of the user", "permission.device"],
  ],
  medium_patterns: [
    [r`\bhttps?://|\bwss?://`, "Request to an address", "origin.request"],
    [r`\b(?:XMLHttpRequest|EventSource|WebSocket|RTCPeerConnection|WebTransport)\b`, "Connection opened", "origin.connection"],
    [
      r`["'=(]\s?//[\w-]{1,63}\.\w|\bfetch\s?\(|<(?:img|iframe|form|link|object|embed)\b[^>]{0,200}\b(?:src|href|action|data)\s?=`,
      "Request by script or markup",
      "origin.markup",
    ],
    [r`\bwindow\s?\.\s?open\s?\(|\blocation\s?(?:\.\s?(?:href|assign|replace)\b|=[^=])`, "Page left for another", "origin.navigation"],
    [r`\bpostMessage\s?\(`, "Message to another window", "origin.window"],

    [
      r`\b(?:local|session)Storage\b|\bindexedDB\b|\bcaches\s?\.|\bnavigator\s?\.\s?storage\b`,
      "Stored data read or written",
      "storage.access",
    ],
    [
      r`\b(?:passw(?:or)?d|passphrase|api[\s_-]?key|secret[\s_-]?key|access[\s_-]?token|auth[\s_-]?token|client[\s_-]?secret)["']?\s?[:=]\s?["']?[^\s"']`,
      "Credential written out",
      "credential.assignment",
    ],
    [r`\b(?:Authorization\s?:\s?)?(?:Bearer|Basic)\s[\w.~+/=-]{16}`, "Credential in a header", "credential.header"],
    [
      r`\bURL\s?\.\s?createObjectURL\s?\(|\bshow(?:Save|Open)FilePicker\s?\(|\bshowDirectoryPicker\s?\(|\bdownload\s?=\s?["']`,
      "File handed out or picked",
      "download.file",
    ],
    [
      r`\bnavigator\s?\.\s?(?:clipboard|geolocation|mediaDevices)\b|\bgetUserMedia\s?\(|\bgetDisplayMedia\s?\(|\brequestPermission\s?\(`,
      "Permission of the user used",
      "permission.use",
    ],
    [
      r`(?<![a-z0-9])(?:checkout|buy[\s_-]?now|add[\s_-]?to[\s_-]?cart|subscribe[\s_-]?now|upgrade[\s_-]?plan)(?![a-z0-9])`,
      "Something bought",
      "payment.step",
    ],
    [r`\bgit\b.{0,100}\bpush\b.{0,100}\s(?:--force|-f)\b|\bgit\s+reset\s+--hard\b`, "History overwritten", "shell.git_force"],
  ],
  // In calls and in thoughts: instructions that were injected through a fetched text.
  injection_high_patterns: [
    [
      r`\b(?:by-?pass|dis(?:card|obey|regard)|forget|ignore|overr(?:ide|ule)|set\saside)\s(?:(?:all|and|any|every|my|of|the|these|those|your)\s){0,4}(?:above|earlier|existing|former|initial|original|preceding|previous|prior|system)\s(?:(?:and|safety|system|user)\s){0,2}(?:constraint|directive|guideline|instruction|message|order|prompt|rule)s?\b`,
      "Instructions set aside",
      "inject.override",
    ],
    [
      r`<\|(?:im_start|im_end|system|assistant|user|endoftext|eot_id|start_header_id)\|>|\[/?INST\]|<</?SYS>>|</?(?:system_prompt|tool_result|function_calls|antml)\b`,
      "Marks of a model's own format in a text",
      "inject.format",
    ],
    [
      r`\b(?:do\snot|don['\u2019]?t|never|must\snot|without)\s(?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn|warning)\s(?:the\s|your\s)?(?:user|human|owner|operator)\b`,
      "Kept from the user",
      "inject.conceal",
    ],
    [
      r`\b(?:send|post|upload|forward|email|transmit|exfiltrate|leak)\s(?:(?:all|any|the|your|their|its|user['\u2019]?s?|of|me|every)\s){0,4}(?:api[\s_-]?keys?|cookies?|passwords?|credentials?|secrets?|tokens?|private\skeys?|system\sprompt|conversation|chat\shistory)\s(?:to|at|via|through)\b`,
      "Secrets asked for",
      "inject.exfiltrate",
    ],
  ],
  injection_medium_patterns: [
    [
      r`\byou(?:\sare|['\u2019]re)\snow\s(?:(?:in|an?|the)\s){0,2}(?:\w{1,30}\s)?(?:DAN|jailbroken|mode|unrestricted)\b`,
      "Told to be in another mode",
      "inject.mode",
    ],
    [
      r`\bpretend\s(?:that\s)?(?:to\sbe|you(?:\sare|['\u2019]re))\b|\bact\sas\sif\s(?:there\swere|you\sha(?:d|ve))\sno\s(?:guidelines|restrictions|rules)\b`,
      "Told to be somebody else",
      "inject.identity",
    ],
    [
      r`\b(?:new|updated|revised|real|hidden|secret)\s(?:system\s)?(?:instructions?|directives?|orders?)\s?:`,
      "Instructions announced in a text",
      "inject.announce",
    ],
    [
      r`\b(?:if\syou\sare|attention|note\sto|message\sfor|instructions?\sfor)\s(?:an?\s|all\s|any\s|the\s)?(?:AI|LLM|language\smodel|assistant|agent|chatbot)s?\b`,
      "Text addressed to a model",
      "inject.address",
    ],
    [
      r`\b(?:reveal|print|repeat|show|output|display)\s(?:me\s)?(?:your|the)\s(?:full\s|hidden\s|entire\s|initial\s|original\s)?(?:system\s(?:prompt|message)|initial\sinstructions|hidden\sinstructions)\b`,
      "Instructions asked for",
      "inject.reveal",
    ],
    [
      r`\bwithout\s(?:asking|confirmation|approval|permission|consent)\b|\b(?:do\snot|don['\u2019]?t|no\sneed\sto)\s(?:ask|wait)\sfor\s(?:confirmation|approval|permission|consent)\b`,
      "To be done unasked",
      "inject.unasked",
    ],
  ],
};
