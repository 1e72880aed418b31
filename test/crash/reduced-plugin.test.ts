import { QUICK, testCases } from "./run-reduced";

testCases("plugin", QUICK);
